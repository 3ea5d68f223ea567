"""Exchanges over mpi4py, one launch per number of ranks, and the errors where there are none."""

import re
import sys
from pathlib import Path

import pytest
from calling import run
from document_text import SOURCE, blocks

from rondo import mpi_library

pytest.importorskip("mpi4py")
HERE = Path(__file__).parent


def python(text):
    """Run Python, in a process of its own."""
    return run(sys.executable, "-c", text)


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_exchanges(mpirun, ranks):
    done = run(*mpirun, "-n", ranks, sys.executable, HERE / "exchanges.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"cases right on {ranks} ranks" in done.stdout


ENDS_AMID_AN_EXCHANGE = """
import numpy as np
import rondo
from mpi4py import MPI

comm = MPI.COMM_WORLD
rondo.prepare(comm)
rondo.ialltoall(comm, np.zeros(10**6 * comm.size), np.zeros(10**6 * comm.size))
"""


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [1, 2])
def test_buffers_outlive_python(mpirun, ranks):
    """MPI_Finalize, in which exchanges go on, comes after the end of Python."""
    done = run(*mpirun, "-n", ranks, sys.executable, "-c", ENDS_AMID_AN_EXCHANGE)
    assert done.returncode == 0, done.stdout + done.stderr


# What tools/mpirun tells Open MPI, for an mpirun of the user's own.
ANY_CORES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


@pytest.mark.ranks
def test_run_with_a_program_that_knows_nothing_of_rondo(mpirun):
    launch = ["mpirun", "-n", "3", sys.executable, HERE / "calls.py", "40"]
    # Without a number the clock decides when set-up has been earned.
    variables = ANY_CORES | {"RONDO_FORWARD_CALLS": "32"}
    done = run("rondo", "run", "--stats", "--", *launch, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in (done.stdout + done.stderr).splitlines()]
    calls = {row[-4]: int(row[-3]) for row in rows if row[1:3] == ["alltoall", "3"]}
    assert sum(calls.values()) == 3 * 40, done.stdout + done.stderr
    assert calls.get("node_aware", 0) == 3 * 8, done.stdout + done.stderr
    sample, *_ = blocks(SOURCE / "docs/programs.md", "text")
    first, headings, *_ = sample.splitlines()
    said = (done.stdout + done.stderr).splitlines()
    assert headings in said and re.sub(r"\d+", "3", first) in said


@pytest.mark.parametrize(
    ("families", "sentence"),
    [
        ((), "built without MPI"),
        (("of another kind",), "rondo was built for of another kind, but mpi4py runs with"),
    ],
)
def test_a_package_built_for_something_else(families, sentence):
    """Schedules work, and whoever asks for an exchange is told."""
    change = (
        f"from rondo import mpi_library as m; m.families = lambda: {families!r}; import rondo; "
    )
    assert python(change + "rondo.schedule.bruck(4)").returncode == 0
    done = python(change + "rondo.alltoall")
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert sentence in done.stderr


def test_without_mpi4py():
    hide = "import sys; sys.modules['mpi4py'] = None; import rondo; "
    assert python(hide + "rondo.schedule.bruck(4)").returncode == 0
    done = python(hide + "rondo.plan")
    sentence = "need mpi4py" if mpi_library.families() else "built without MPI"
    assert "ImportError: rondo" in done.stderr and sentence in done.stderr
