"""The HPC Challenge benchmark as Debian has it. It checks its own results; its MPIFFT calls
MPI_Alltoall."""

import math
import shutil
from functools import partial

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import Skip, rows_of
from workspace import families_of, installed

MPIS = (*OPEN_MPI_HERE, "Open MPI of PyPI")
RANKS = 4
SIZE = 300  # of the system of linear equations; the other problems' sizes follow from it
# One line each: a value, and what it is. The program goes by the lines' order.
INPUT = """\
for HPCC: a problem that takes a second
(two lines of title)
HPL.out  file for output, which device 8 below stands for
8        device
1        number of sizes
{size}   N
1        number of block sizes
32       NB
0        ranks by rows
1        number of process grids
{rows}   P
{columns} Q
16.0     residual that is still right
1        number of panel factorisations
2        right-looking
1        number of stopping criteria
4        NBMIN
1        number of ways to divide panels
2        NDIV
1        number of recursive factorisations
1        Crout
1        number of broadcasts
1        ring, modified
1        number of lookahead depths
1        depth
2        swap: a mix
64       swapping threshold
0        L1 transposed
0        U transposed
1        equilibration
8        alignment in doubles
--
0        further sizes for PTRANS
0
0        further block sizes for PTRANS
0
"""
LARGEST_ERROR = 1e-12
# Lines NAME=VALUE at the end of the output, and what VALUE may be. RandomAccess may lose 1 % of its
# updates.
RIGHT = {
    "Success": lambda value: value == 1,
    "PTRANS_residual": lambda value: 0 <= value < 16,
    "MPIFFT_maxErr": lambda value: 0 <= value <= LARGEST_ERROR,
    "MPIRandomAccess_ErrorsFraction": lambda value: 0 <= value <= 0.01,
    "MPIRandomAccess_LCG_ErrorsFraction": lambda value: 0 <= value <= 0.01,
}


def program():
    return installed("hpcc", "hpcc")


def write_input(folder, ranks, size):
    """Writes the input for these ranks, in a nearly square grid."""
    rows = max(rows for rows in range(1, math.isqrt(ranks) + 1) if ranks % rows == 0)
    text = INPUT.format(size=size, rows=rows, columns=ranks // rows)
    (folder / "hpccinf.txt").write_text(text)


def prepare(workspace, name):
    """An empty folder with the input."""
    folder = workspace.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_input(folder, RANKS, SIZE)
    return folder


def values_of(done, folder):
    """The lines NAME=VALUE of the output."""
    output = folder / "hpccoutf.txt"
    expect(output.exists(), "it wrote no results", done)
    text = output.read_text()
    expect("FAILED" not in text, f"{output} says FAILED", done)
    return dict(line.split("=", 1) for line in text.splitlines() if line.count("=") == 1)


def expect_right(done, folder):
    values = values_of(done, folder)
    for name, is_right in RIGHT.items():
        said = values.get(name, "missing")
        expect(name in values and is_right(float(said)), f"{name} is {said}", done)


def _run(workspace, mpi_name):
    mpi = FINDERS[mpi_name](workspace)
    if families_of(program()) != [mpi.family]:
        raise Skip(f"{program()} is for another MPI")
    folder = prepare(workspace, "hpcc")
    done = run_ranks(workspace, mpi, RANKS, [program()], folder=folder)
    report = expect_exchanges(done, RANKS, "alltoall")
    expect_right(done, folder)
    return f"{mpi.name}, {carried_out(report, RANKS)}"


def rows(workspace):
    return rows_of("HPCC, {}", partial(_run, workspace), MPIS)
