"""rondo run."""

import os
import tempfile
from pathlib import Path
from typing import Annotated, NoReturn, Optional

import typer

from rondo import launchers, programs
from rondo.commands.say import fail
from rondo.option_words import CannotRewrite


def run_program(
    command: Annotated[
        list[str], typer.Argument(metavar="-- LAUNCHER ... PROGRAM ...", help="As without Rondo.")
    ],
    stats: Annotated[
        bool, typer.Option("--stats", help="Say at the end what was called and by which algorithm.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--ab",
            help="Alternate with MPI's own calls, and say how much faster Rondo makes the program.",
        ),
    ] = False,
    record: Annotated[
        Optional[Path], typer.Option(help="Write the count matrices of the program's calls there.")
    ] = None,
    profile: Annotated[
        Optional[Path],
        typer.Option(help="What tuning found out on this machine.", readable=False),
    ] = None,
) -> None:
    """Run a program under mpirun, mpiexec or srun with Rondo in place of MPI's all-to-all calls.

    The launcher is left alone: it starts `rondo-exec` in front of every program of its command.
    Commands that start others (taskset, numactl, env, nice, bash -c, ...) may stand before either.
    """
    try:
        prefix = [str(programs.find("rondo-exec"))]
        if stats:
            prefix.append("--stats")
        if compare:
            prefix.append("--ab")
        if record is not None:
            prefix += ["--record", str(_writable(record))]
        if profile is not None:
            prefix += ["--profile", str(_readable(profile))]
        _become(launchers.rewrite(command, prefix))
    except (programs.ProgramNotFound, CannotRewrite) as error:
        fail(error)


def _readable(file: Path) -> Path:
    try:
        with file.open("rb"):
            return file.absolute()
    except OSError as error:
        fail(f"cannot read the profile {file}: {error.strerror}")


def _writable(file: Path) -> Path:
    """The files are written by ranks, each with a suffix of its own."""
    try:
        with tempfile.TemporaryFile(dir=file.parent):
            return file
    except OSError as error:
        fail(f"cannot write count matrices into {file.parent}: {error.strerror}")


def _become(command: list[str]) -> NoReturn:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}")
