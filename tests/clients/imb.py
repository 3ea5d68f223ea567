"""Intel's MPI benchmarks, from the package that brings Intel MPI.

Of their results only that they come is looked at: this build of them does not check data.
"""

import re
from functools import partial

from launching import carried_out, clean_environment, expect, expect_exchanges, finish, run_ranks
from mpis import FINDERS
from outcome import Skip, rows_of
from workspace import remembered

BENCHMARKS = ("Alltoall", "Alltoallv", "Alltoallw")
MPIS = ("Intel MPI of PyPI", "MPICH of PyPI")  # which have one binary interface
LARGEST = 16  # as a power of two
ITERATIONS = 50
TABLE_LINE = re.compile(r"^ +\d+ +\d+(?: +\d+\.\d+){3}$", re.MULTILINE)


def _program(workspace):
    intel = FINDERS["Intel MPI of PyPI"](workspace)
    return intel, intel.launcher.parent / "IMB-MPI1"


@remembered
def available(workspace):
    """The names of the benchmarks in IMB-MPI1."""
    intel, program = _program(workspace)
    environment = clean_environment(**intel.variables)
    done = finish([intel.launcher, "-n", "1", program, "-list"], 60, workspace.folder, environment)
    expect(done.returncode == 0, "IMB-MPI1 -list", done)
    return done.stdout.split()


def _run(workspace, mpi_name, benchmark):
    mpi = FINDERS[mpi_name](workspace)
    if benchmark not in available(workspace):
        raise Skip(f"IMB-MPI1 of PyPI has no benchmark {benchmark}")
    _, program = _program(workspace)
    options = ["-npmin", mpi.ranks, "-msglog", f"0:{LARGEST}", "-iter", ITERATIONS]
    words = [program, *options, benchmark]
    done = run_ranks(workspace, mpi, mpi.ranks, words, folder=workspace.folder)
    report = expect_exchanges(done, mpi.ranks, benchmark.lower())
    lengths = len(TABLE_LINE.findall(done.stdout))
    expect(lengths == LARGEST + 2, f"there are {lengths} of {LARGEST + 2} lengths", done)
    return f"{mpi.name}, {carried_out(report, mpi.ranks)}"


def rows(workspace):
    return rows_of("IMB-MPI1 {1}, {0}", partial(_run, workspace), MPIS, BENCHMARKS)
