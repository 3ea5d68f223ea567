"""DOLFINx as Debian has it: finite elements. Parts of its vectors go along the edges of a graph."""

from functools import partial

from launching import WAYS, carried_out, expect, expect_exchanges, primed, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import rows_of
from workspace import DEBIANS_PYTHON, SOURCE, succeed

PROGRAM = SOURCE / "tests/clients/mesh_ghosts.py"
RANKS = 3
CALLS = ("alltoallv", "ineighbor_alltoallv")


def _run(workspace, mpi_name, way):
    mpi = FINDERS[mpi_name](workspace)
    reason = "there is no DOLFINx (Debian: python3-dolfinx-real)"
    succeed(DEBIANS_PYTHON, "-c", "import dolfinx", reason=reason)
    program = primed(workspace, mpi, [DEBIANS_PYTHON, PROGRAM])
    done = run_ranks(workspace, mpi, RANKS, program, **WAYS[way])
    expect("right" in done.stdout, "it does not say that it is right", done)
    report = expect_exchanges(done, RANKS, *CALLS)
    return f"{mpi.name}, {carried_out(report, RANKS, CALLS)}"


def rows(workspace):
    return rows_of("DOLFINx by {1}, {0}", partial(_run, workspace), OPEN_MPI_HERE, WAYS)
