"""Shuffles, joins and groups of Arrow's tables, one launch per number of ranks."""

import sys
from pathlib import Path

import pytest
from calling import run, seed

from rondo import mpi_library

pytest.importorskip("mpi4py")
pytest.importorskip("pyarrow", reason="there is no pyarrow: pip could not install it here")
HERE = Path(__file__).parent
# How many random tables; 200 in all.
TABLES = {1: 30, 2: 40, 3: 100, 5: 30}
FRAMES = 15  # of pandas, and as many of polars


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", TABLES)
def test_tables(mpirun, ranks):
    drawn = [seed() + ranks, TABLES[ranks], FRAMES]
    done = run(*mpirun, "-n", ranks, sys.executable, HERE / "tables.py", *drawn, timeout=300)
    assert done.returncode == 0, f"tables.py {drawn}\n{done.stdout}{done.stderr}"
    assert f"cases right on {ranks} ranks" in done.stdout


@pytest.mark.ranks
def test_example(mpirun):
    """Its joins find the same, however they exchange."""
    program = HERE.parents[1] / "examples/join_tables.py"
    done = run(*mpirun, "-n", 3, sys.executable, program, "--rows", 3000)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if ":" in line]
    found = {name.rstrip(":"): count for name, count, *_ in rows}
    assert set(found) >= {"rondo.arrow", "mpi4py"} and len(set(found.values())) == 1, done.stdout


def test_nothing_is_imported_unless_asked():
    asked = (
        "import sys, rondo; print({'numpy', 'pyarrow', 'mpi4py', 'rondo.arrow'} & set(sys.modules))"
    )
    assert run(sys.executable, "-c", asked).stdout.strip() == "set()"


def test_without_pyarrow():
    if not mpi_library.families():
        pytest.skip("the package was built without MPI")
    hide = "import sys; sys.modules['pyarrow'] = None; import rondo; import rondo.arrow"
    done = run(sys.executable, "-c", hide)
    assert done.returncode == 1
    assert "rondo.arrow needs pyarrow: pip install 'rondo[arrow]'" in done.stderr
