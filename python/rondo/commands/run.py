"""rondo run."""

import enum
import os
import re
import tempfile
from pathlib import Path
from typing import Annotated, NoReturn, Optional

import typer

from rondo import files, launchers, programs, registry, watching
from rondo.commands.say import fail
from rondo.commands.status import Status
from rondo.option_words import CannotRewrite


class Way(str, enum.Enum):
    """How a program gets Rondo."""

    PRELOAD = "preload"
    COMPONENT = "component"


def run_program(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- LAUNCHER ... PROGRAM ...",
            help="The command that runs the program without Rondo.",
        ),
    ],
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Report at the end what was called and by which algorithm."),
    ] = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--ab",
            help="Alternate with MPI's own calls, and report how much faster the program gets.",
        ),
    ] = False,
    record: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE",
            help="Write the program's exchanges to FILE, for `rondo whatif`, and its count "
            "matrices to FILE.R.C.N.",
        ),
    ] = None,
    profile: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="The profile that `auto` uses.", readable=False),
    ] = None,
    algorithm: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help="Use this algorithm in the collectives that have it, instead of `auto`, as in "
            "`rondo list`.",
        ),
    ] = None,
    watch: Annotated[
        Optional[str],
        typer.Option(
            metavar="TIME",
            help="If a rank waits this long in an exchange, as in `60s`, say which ranks are "
            "missing, and where they are.",
        ),
    ] = None,
    watch_abort: Annotated[
        bool,
        typer.Option("--watch-abort", help="End the job after that; needs `--watch`."),
    ] = False,
    via: Annotated[
        Way,
        typer.Option(
            "--via", metavar="WAY", help="`preload` Rondo, or let Open MPI load its `component`."
        ),
    ] = Way.PRELOAD,
) -> None:
    """Run a program under mpirun, mpiexec or srun with Rondo instead of MPI's all-to-all calls.

    The launcher is unchanged; it starts `rondo-exec` before every program of its command. Commands
    that start others (taskset, numactl, env, nice, bash -c, ...) may precede either of them.
    """
    try:
        prefix = [str(programs.find("rondo-exec"))]
        if stats:
            prefix.append("--stats")
        if compare:
            prefix.append("--ab")
        if record is not None:
            prefix += ["--record", str(_writable(record))]
        if algorithm is not None:
            prefix += ["--algorithm", _known(algorithm)]
        if via is not Way.PRELOAD:
            prefix += ["--via", via.value]
        if profile is not None:
            prefix += ["--profile", str(_readable(profile))]
        if watch_abort and watch is None:
            fail("--watch-abort needs --watch")
        if watch is None:
            _become(launchers.rewrite(command, prefix))
        prefix += ["--watch", _time(watch)]
        if watch_abort:
            prefix.append("--watch-abort")
        _watch(launchers.rewrite(command, prefix))
    except programs.ProgramNotFound as error:
        fail(error, Status.CANNOT_START)
    except CannotRewrite as error:
        fail(error)


def _known(algorithm: str) -> str:
    """Refuse what every rank would refuse."""
    reason = None
    for collective in ("alltoall", "alltoallv"):
        try:
            if algorithm != "auto":
                registry.resolved(algorithm, ranks=2, collective=collective)
            return algorithm
        except ValueError as error:
            reason = error
    return fail(f"--algorithm: {reason}")


def _readable(file: Path) -> Path:
    try:
        with files.opened(file):
            return file.absolute()
    except OSError as error:
        fail(f"cannot read the profile {file}: {error.strerror}")


def _writable(file: Path) -> Path:
    """Check that the folder is writable. Ranks write the files, with different suffixes."""
    try:
        with tempfile.TemporaryFile(dir=file.parent):
            return file
    except OSError as error:
        fail(f"cannot write count matrices to {file.parent}: {error.strerror}")


def _time(text: str) -> str:
    """Refuse what every rank would refuse."""
    if re.fullmatch(r"0*[1-9]\d*(ms|s|m|h)?", text, re.IGNORECASE):
        return text
    return fail(f"--watch: '{text}' is not a time, as in 60s, 500ms, 5m or 1h")


def _watch(command: list[str]) -> NoReturn:
    try:
        raise typer.Exit(watching.run(command))
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}", Status.CANNOT_START)


def _become(command: list[str]) -> NoReturn:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}", Status.CANNOT_START)
