"""rondo report."""

import os
import tempfile
from pathlib import Path
from typing import Annotated, NoReturn, Optional

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from rondo import programs
from rondo.commands.bench import launch_argument, own_launcher
from rondo.commands.say import console, fail, warn
from rondo.commands.status import Status
from rondo.commands.tune import seconds_of
from rondo.report.clock import Clock
from rondo.report.findings import Findings, find
from rondo.report.launch import launch_of
from rondo.report.measure import Measuring, Plan
from rondo.report.page import page
from rondo.report.start import BudgetTooSmall, LaunchFailed, find_ranks
from rondo.report.state import CannotKeep, State, key_of, usual_folder, write_whole

_LEAST_SECONDS = 20


class _Bar:
    """How much of the budget is spent, on standard error; a context manager."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("", total=clock.budget)

    def doing(self, what: str) -> None:
        self._progress.update(self._task, description=what)
        self.tick()

    def tick(self) -> None:
        self._progress.update(self._task, completed=min(self._clock.spent, self._clock.budget))

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._progress.update(self._task, completed=self._clock.budget, description="done")
        self._progress.stop()


def write_report(
    launch: Annotated[
        Optional[list[str]],
        launch_argument("there are as many ranks as cores"),
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="How long measuring may take, as in 10m, 90s or 2h.")
    ] = "10m",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")
    ] = Path("rondo-report.html"),
    state: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FOLDER",
            help="The folder for measurements, from which the same command continues after an "
            "interruption. The default is ~/.local/state/rondo/report.",
            show_default=False,
        ),
    ] = None,
    is_fresh: Annotated[
        bool, typer.Option("--fresh", help="Discard what the same command measured before.")
    ] = False,
) -> None:
    """Measure a machine within a time budget, and write the results as a page."""
    try:
        clock = Clock(seconds_of(budget, _LEAST_SECONDS))
        bench, tune = (programs.script(name) for name in ("rondo-bench", "rondo-tune"))
        ranks = launch_of(launch or own_launch())
        folder = _state_folder(state)
        _require_output(output)
    except LookupError as error:
        fail(error, Status.CANNOT_START)
    except ValueError as error:
        fail(error)
    try:
        with _Bar(clock) as bar:
            topology, has_environment = find_ranks(ranks, clock, bar)
            kept = State(folder, key_of(ranks.words, topology, bench), is_fresh)
            before = kept.spent_seconds
            plan = Plan(ranks, topology, bench, tune, has_environment)
            found = _found(plan, kept, clock, bar)
        write_whole(output, page(found))
    except LaunchFailed as error:
        _show_failure(error)
    except (BudgetTooSmall, CannotKeep) as error:
        fail(error)
    except KeyboardInterrupt:
        warn("stopped; the same command continues from here")
        raise typer.Exit(Status.INTERRUPTED) from None
    _print_end(output, found, is_old=kept.spent_seconds == before)


def own_launch() -> list[str]:
    """As many ranks as cores, two at least."""
    cores = len(os.sched_getaffinity(0))
    return [*own_launcher(programs.command("rondo-bench")), "-n", str(max(cores, 2))]


def _state_folder(named: Optional[Path]) -> Path:
    folder = (named or usual_folder()).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotKeep(
            f"cannot make the folder {folder}: {error.strerror}; --state names another one"
        ) from error
    _require_writable(folder, "--state")
    return folder


def _require_output(output: Path) -> None:
    """Before anything takes long."""
    if output.is_dir():
        raise CannotKeep(f"cannot write {output}: Is a directory")
    if not output.exists():
        _require_writable(output.resolve().parent, "--output")
    elif not os.access(output, os.W_OK):
        raise CannotKeep(f"cannot write {output}: Permission denied")


def _require_writable(folder: Path, option: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CannotKeep(
            f"cannot write into {folder}: {error.strerror}; {option} names another place"
        ) from error


def _found(plan: Plan, state: State, clock: Clock, bar: _Bar) -> Findings:
    clock.add(state.spent_seconds)
    Measuring(plan, state, clock, bar).run()
    return find(plan, state, clock, bar)


def _show_failure(error: LaunchFailed) -> NoReturn:
    for line in error.said:
        typer.echo(line, err=True)
    fail(error, Status.CANNOT_START)


def _print_end(output: Path, found: Findings, is_old: bool) -> None:
    console.print(f"wrote {output}", highlight=False, markup=False, soft_wrap=True)
    if is_old:
        console.print("Everything was measured before; --fresh measures again.", highlight=False)
    if found.left_out:
        console.print("What was left out is said on the page.")
    if found.profile is not None:
        console.print(
            f"For auto to choose so in your programs: rondo tune -- {found.command}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
