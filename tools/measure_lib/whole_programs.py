"""Real programs that this machine has, in whole runs with and without Rondo, and under --ab.

Programs, places and runs are those of `make check-ab`; Rondo is that of the package.
"""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path
from typing import Any

from ab_places import PLACES, Where
from ab_programs import PROGRAMS, Program
from outcome import Failure, Skip
from whole_runs import Cell
from workspace import Workspace

from measure_lib.ranks import cores
from measure_lib.tasks import BUDGET_OVER, NotMeasured, Part, Task
from rondo import mpi_library, programs

_MOST_PAIRS = 7
_LEAST_PAIRS = 3
_LEAST_SECONDS = 10.0


class PackageWorkspace(Workspace):
    """Rondo as the package has it, for the families that it was built for."""

    def install(self) -> None:
        pass

    def exec_path(self) -> Path:
        return programs.find("rondo-exec")

    def require_family(self, family: str) -> None:
        if family not in mpi_library.families():
            raise Skip(f"the package rondo was built without {family}")


def title(program: Program, where: Where) -> str:
    return f"programs: {program.name}, {where.name}"


def all_cells() -> list[tuple[Program, Where]]:
    """With a core for each rank, or two ranks."""
    places = [where for where in PLACES if where.nodes == 1 and where.ranks <= max(cores(), 2)]
    return [(program, where) for where in places for program in PROGRAMS]


def part(folder: Path) -> Part:
    tasks = [
        Task(title(*cell), _LEAST_SECONDS, partial(_measure, folder, *cell)) for cell in all_cells()
    ]
    return Part("programs", 2, tasks)


def _measure(folder: Path, program: Program, where: Where, seconds: float) -> dict[str, Any]:
    try:
        return _measured(folder, program, where, seconds)
    except (Skip, Failure, OSError, LookupError) as error:
        raise NotMeasured(str(error).splitlines()[0]) from error


def _measured(folder: Path, program: Program, where: Where, seconds: float) -> dict[str, Any]:
    """The first run, which does not count, tells for how many pairs there is time."""
    end = time.monotonic() + seconds
    workspace = PackageWorkspace(folder / "programs", [])
    workspace.require_family("openmpi")
    inputs = workspace.folder / f"{program.name}-{where.ranks}" / "input"
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir(parents=True)
    command = program.command(workspace, inputs, where.ranks)
    with where.up() as run:
        cell = Cell(workspace, program, run, inputs, command, seconds)
        once, _ = cell.timed()
        runs = int((end - time.monotonic()) / once)
        if runs < 1:
            raise NotMeasured(f"{BUDGET_OVER} after one run of {once:.0f} s")
        pairs = min((runs - 1) // 2, _MOST_PAIRS)
        if pairs < _LEAST_PAIRS:
            pairs = 0
        timed = [cell.pair(number) for number in range(pairs)]
        return {"program": program.name, "place": where.name, "pairs": timed, "ab": [cell.ab()]}
