#!/usr/bin/env python3
"""Real programs that nobody recompiles, under `rondo run` with several MPI libraries.

check_clients.py --folder FOLDER BUILD...

Each BUILD is a build of Rondo for one MPI family. All that is fetched or compiled goes into FOLDER;
what cannot be had is skipped, with the reason. The last line is `N passed, N failed, N skipped`;
status 0 if something passed and nothing failed, 77 if nothing could be run.
"""

import argparse
import re
import signal
import sys
from pathlib import Path

import cluster
import fftw
import fortran
import hpcc
import imb
import mpi4py_suite
from outcome import Results
from place import Place

CLIENTS = (fortran, fftw, hpcc, imb, mpi4py_suite, cluster)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", metavar="BUILD", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, required=True, help="for what is fetched and made")
    parser.add_argument(
        "--only", metavar="REGEX", default="", help="the rows in whose names this is found"
    )
    parser.add_argument("--list", action="store_true", help="print the rows' names; run nothing")
    return parser.parse_args()


def main():
    options = parse()
    # So that ranks are ended and a cluster is taken down then too.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    place = Place(options.folder, options.builds)
    rows = [row for client in CLIENTS for row in client.rows(place)]
    chosen = [row for row in rows if re.search(options.only, row.name)]
    if options.list or not chosen:
        print("\n".join(row.name for row in (chosen or rows)))
        return 0 if chosen else f"no row's name matches {options.only!r}; these are all"
    results = Results()
    for row in chosen:
        results.run(row)
    print(results.summary())
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
