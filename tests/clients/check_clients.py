#!/usr/bin/env python3
"""Real programs that nobody recompiles, under `rondo run` with several MPI libraries.

check_clients.py --folder FOLDER BUILD...

Each BUILD is a build of Rondo for one MPI family. All that is fetched or compiled goes into FOLDER;
what cannot be had is skipped, with the reason. The last line is `N passed, N failed, N skipped`;
status 0 if something passed and nothing failed, 77 if nothing could be run.
"""

import sys

import cluster
import fftw
import fortran
import hpcc
import imb
import languages
import meshes
import mpi4py_suite
import mpich_suite
import petsc
import same_results
from outcome import Results, chosen, parse
from workspace import Workspace

CLIENTS = (
    fortran,
    languages,
    fftw,
    petsc,
    meshes,
    hpcc,
    imb,
    mpi4py_suite,
    mpich_suite,
    same_results,
    cluster,
)


def main():
    options = parse(__doc__, "rows").parse_args()
    workspace = Workspace(options.folder, options.builds)
    rows = {row.name: row for client in CLIENTS for row in client.rows(workspace)}
    results = Results()
    for name in chosen(rows, options):
        results.run(rows[name])
    print(results.summary())
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
