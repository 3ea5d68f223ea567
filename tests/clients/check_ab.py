#!/usr/bin/env python3
"""Compares what `rondo-exec --ab` reports on real programs with whole runs of them.

check_ab.py --folder FOLDER BUILD

BUILD is a build of Rondo for Open MPI.
Every program is run at every place in alternating pairs, without Rondo and under rondo-exec, and
its elapsed time is taken from outside; then under rondo-exec --ab. What comes out is kept in
FOLDER/ab.json as soon as a cell is measured, and printed as a table: how many exchanges there
were, the ratio of whole runs (library over Rondo: above 1, Rondo is faster; median of pairs, 95 %
interval), what --ab says, and whether its interval contains that ratio.

Results must be the same with and without Rondo. Where they are not, where a run fails or hangs, the
cell says so, and the status is 1; it is 77 if nothing could be run. CP2K, LAMMPS, GROMACS and HPCC
are taken from this machine (Debian: cp2k, lammps, gromacs, hpcc), and FFTW's MPI part too; NEURON
comes from PyPI. The cluster needs root.
"""

import datetime
import json
import os
import sys
import time

import ab_table
from ab_places import PLACES
from ab_programs import PROGRAMS
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, chosen, parse
from whole_runs import measure
from workspace import Workspace

CELLS = {
    f"{program.name}, {where.name}": (program, where) for program in PROGRAMS for where in PLACES
}


class Measurements:
    """A file of the measurements by name of cell."""

    def __init__(self, path):
        self.path = path
        self.cells = json.loads(path.read_text()) if path.exists() else {}

    def add(self, name, cell):
        """Replaces the file in one step, so that an interruption leaves the old one."""
        self.cells[name] = cell
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.cells, indent=1) + "\n")
        new.replace(self.path)

    def table(self):
        """The measurements of all cells, in their order."""
        return ab_table.text([self.cells[name] for name in CELLS if name in self.cells])


def measured(workspace, name, options):
    program, where = CELLS[name]
    cell = {"program": program.name, "place": where.name, "cores": os.cpu_count()}
    cell["date"] = datetime.datetime.now().isoformat(timespec="seconds")
    try:
        return {**cell, **measure(workspace, program, where, options)}
    except Skip as reason:
        return {**cell, "skipped": str(reason)}
    except (Failure, OSError) as error:
        return {**cell, "failed": str(error)}


def status(cells):
    if any("failed" in cell for cell in cells):
        return STATUS_FAILED
    return 0 if any("pairs" in cell for cell in cells) else STATUS_SKIPPED


def main():
    parser = parse(
        __doc__,
        "cells",
        pairs=(7, "of whole runs"),
        ab_runs=(1, "runs with --ab"),
        seconds=(300.0, "that a run may take"),
    )
    parser.add_argument("--table", action="store_true", help="print the table again; run nothing")
    options = parser.parse_args()
    names = chosen(CELLS, options)
    workspace = Workspace(options.folder, options.builds)
    measurements = Measurements(workspace.folder / "ab.json")
    if options.table:
        print(measurements.table())
        return 0
    for name in names:
        began = time.monotonic()
        cell = measured(workspace, name, options)
        measurements.add(name, cell)
        print(f"{name} [{time.monotonic() - began:.0f} s]\n{ab_table.text([cell])}\n", flush=True)
    print(measurements.table())
    return status([measurements.cells[name] for name in names])


if __name__ == "__main__":
    sys.exit(main())
