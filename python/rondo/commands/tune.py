"""rondo tune."""

import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rondo import launchers, profiles, programs, tuner
from rondo.commands.bench import launch_argument, own_launcher
from rondo.commands.profile import show_layout
from rondo.commands.say import console, fail, warn
from rondo.commands.status import Status, of_launch

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_MOST_SECONDS = 100_000


def tune_machine(
    launch: Annotated[
        Optional[list[str]],
        launch_argument("2 ranks are measured, and then as many as there are cores"),
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="How long tuning may take, as in 60s, 2m or 90.")
    ] = "60s",
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The profile to write, instead of the one in use.",
        ),
    ] = None,
) -> None:
    """Measure this machine and write a profile, which `auto` uses from then on."""
    try:
        seconds = seconds_of(budget)
        if launch:
            launchers.require_no_program(launch, "rondo tune")
        tune = programs.command("rondo-tune", launch or ())
        path = profiles.file_or_default(output, tune.family).absolute()
        launches = [launch] if launch else _own_launches(tune)
    except LookupError as error:
        fail(error, Status.CANNOT_START)
    except ValueError as error:
        fail(error)
    for words in launches:
        options = ["--budget", f"{seconds / len(launches):g}", "--output", str(path), "--progress"]
        _show(_written([*words, *tune.words, *options]), path)


def seconds_of(budget: str, least: int = 1) -> float:
    """Of a budget such as 60s or 2m; ValueError if it is none, or less than `least` seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", budget)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0
    if not least <= seconds <= _MOST_SECONDS:
        raise ValueError(
            f"--budget is {budget!r}, must be from {least}s to {_MOST_SECONDS}s, "
            "as in 60s, 2m or 90"
        )
    return seconds


def _own_launches(tune: programs.Command) -> list[list[str]]:
    """Two ranks, and then all cores, for a single machine."""
    launcher = own_launcher(tune)
    cores = len(os.sched_getaffinity(0))
    return [[*launcher, "-n", str(ranks)] for ranks in sorted({2, max(cores, 2)})]


def _written(command: list[str]) -> dict[str, Any]:
    """The last message of rondo-tune, with a progress bar until then."""
    written = None
    doing = None
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running, _bar() as bar:
            task = bar.add_task("starting ranks", total=1.0)
            assert running.stdout is not None
            try:
                for line in running.stdout:
                    message = tuner.message_in(line)
                    if message is None:
                        bar.console.print(line.rstrip("\n"), markup=False, highlight=False)
                    elif "written" in message:
                        written = message
                    else:
                        doing = str(message["doing"])
                        bar.update(task, completed=message["done"], description=doing)
            except KeyboardInterrupt:
                running.terminate()  # kill() would leave the launcher no time to end its ranks
                raise
            bar.update(task, completed=1.0)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}", Status.CANNOT_START)
    if running.returncode != 0:
        warn(_failure(command, running.returncode, doing))
        raise typer.Exit(of_launch(running.returncode))
    if written is None:
        fail(
            f"{command[0]} ended without output of rondo-tune; is it a launcher with its options?",
            Status.CANNOT_START,
        )
    return written


def _failure(command: list[str], status: int, doing: Optional[str]) -> str:
    """What failed. The command's own output is above."""
    ended = f"status {status}" if status > 0 else f"signal {-status} ({signal.strsignal(-status)})"
    when = f"while it measured {doing}" if doing else "before rondo-tune began to measure"
    return f"nothing was written; this command ended with {ended} {when}: {shlex.join(command)}"


def _bar() -> Progress:
    return Progress(
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
    )


def _show(written: dict[str, Any], path: Path) -> None:
    console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)
    try:
        profile = profiles.read(path)
    except (OSError, ValueError) as error:
        # The file is on another machine if rank 0 runs there.
        warn(f"cannot show the decisions: {path}: {error}")
        return
    for measured in profile.layouts:
        if measured.layout == written["layout"]:
            show_layout(measured)
