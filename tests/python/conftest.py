"""What the tests in this folder share."""

import sys
from pathlib import Path

import browser
import pytest

from rondo import mpi_library, programs
from rondo.commands import say

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    """A tab of a browser without a window."""
    program = browser.find()
    if program is None:
        pytest.skip(f"there is no browser here: none of {', '.join(browser.NAMES)}")
    try:
        opened = browser.Browser(program, tmp_path_factory.mktemp("profile"))
    except (OSError, RuntimeError) as error:
        pytest.skip(f"{program} does not start here: {error}")
    with opened:
        yield opened


@pytest.fixture(scope="module")
def mpirun():
    """What starts ranks of the MPI that the package was built with."""
    if not mpi_library.families():
        pytest.skip("the package was built without MPI")
    return [str(programs.find("rondo-mpirun")), "--mpi", mpi_library.family_here()]


@pytest.fixture(autouse=True)
def wide_console(monkeypatch):
    monkeypatch.setattr(say.console, "width", 200)


@pytest.fixture(autouse=True)
def no_profile(monkeypatch, tmp_path_factory):
    """The user who runs the tests may have a profile."""
    monkeypatch.delenv("RONDO_PROFILE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
