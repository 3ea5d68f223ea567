"""rondo reproduce."""

import json
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated, Any, Optional

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from rondo import files, programs
from rondo.commands.bench import own_launcher
from rondo.commands.options import Format, Launcher, Seed, check_format
from rondo.commands.say import console, fail, print_rows, warn
from rondo.commands.status import Status
from rondo.reproduce import data, figures
from rondo.reproduce.figures import Figure
from rondo.reproduce.measured import Bench

_LONG_SECONDS = 10  # without a word where there is no terminal


def reproduce_figures(
    names: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[FIGURE]...", help="As in hpdc-6; --list names them."),
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the figures and exit.")] = False,
    format: Format = "table",
    every: Annotated[bool, typer.Option("--all", help="Every figure.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write to.")
    ] = Path(),
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure at few ranks on this machine, too.")
    ] = False,
    ranks: Annotated[
        Optional[list[int]],
        typer.Option(
            "--ranks",
            "-n",
            min=2,
            metavar="P",
            help="Simulate this P in place of the paper's; may be given again.",
        ),
    ] = None,
    measured_ranks: Annotated[
        Optional[list[int]],
        typer.Option(min=2, metavar="P", help="Measure at this P; may be given again."),
    ] = None,
    seed: Seed = 1,
    launcher: Launcher = None,
) -> None:
    """Redraw the papers' figures, simulated as in the paper and, with --measure, measured here.

    Writes FIGURE.svg, FIGURE.png and FIGURE.json, which has all that is drawn and where it is from.
    """
    try:
        check_format(format)
        if list_them:
            _list(format)
            return
        chosen = [figures.figure(name) for name in (figures.names() if every else names or [])]
        if not chosen:
            raise ValueError(f"which figure? There are {', '.join(figures.names())}, or --all")
        bench = _bench(launcher, seed) if measure else None
    except LookupError as error:
        fail(error, Status.CANNOT_START)
    except ValueError as error:
        fail(error)
    plot = _plotting()
    _require_writable(output)
    for figure in chosen:
        document = _document(figure, bench, seed, ranks, measured_ranks)
        for path in _write(document, plot, output):
            console.print(str(path), highlight=False, soft_wrap=True)


def _list(format: str) -> None:
    if format != "table":
        chosen = [figures.figure(name) for name in figures.names()]
        names = ("name", "paper", "section", "title", "shows")
        print_rows([{name: getattr(one, name) for name in names} for one in chosen], format)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("figure", "paper", "section", "what it shows"):
        table.add_column(heading, no_wrap=heading != "what it shows")
    for name in figures.names():
        one = figures.figure(name)
        table.add_row(name, one.paper, one.section, f"{one.title}: {one.shows}")
    console.print(table)
    console.print(f"\n{figures.ABSENT}")


def _bench(launcher: Optional[str], seed: int) -> Bench:
    start = shlex.split(launcher) if launcher else []
    program = programs.command("rondo-bench", start)
    return Bench(start or own_launcher(program), program.words, seed)


def _plotting() -> Any:
    try:
        from rondo.reproduce import plot
    except ModuleNotFoundError as error:
        fail(f"plots need {error.name}: pip install matplotlib")
    return plot


def _require_writable(folder: Path) -> None:
    """Before anything takes long."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fail(f"cannot write to {folder}: {error.strerror}")


def _document(
    figure: Figure,
    bench: Optional[Bench],
    seed: int,
    ranks: Optional[list[int]],
    measured_ranks: Optional[list[int]],
) -> dict[str, Any]:
    try:
        with _bar(figure.name) as bar, _announced(figure.name, bar):
            task = bar.add_task(figure.name, total=None)
            parts = [
                data.simulate_or_count(
                    figure, seed, ranks, lambda done, of: bar.update(task, completed=done, total=of)
                )
            ]
        if bench:
            parts.append(data.measure(figure, bench, measured_ranks))
    except ValueError as error:
        fail(f"{figure.name}: {error}")
    against = ", ".join(filter(None, [bench.library, bench.disturbed()])) if bench else ""
    return data.document(figure, parts, seed, against)


def _bar(name: str) -> Progress:
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    where = Console(stderr=True)
    return Progress(*columns, console=where, transient=True, disable=not where.is_terminal)


@contextmanager
def _announced(name: str, bar: Progress) -> Iterator[None]:
    """Says once that it takes long, where there is no bar to see."""

    def say() -> None:
        done = sum(task.completed for task in bar.tasks)
        every = sum(task.total or 0 for task in bar.tasks)
        progress = f"{done:.0f} of {every:.0f} points are simulated" if every else "it takes long"
        warn(f"{name}: {progress}")

    timer = Timer(_LONG_SECONDS, say)
    if bar.disable:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _write(document: dict[str, Any], plot: Any, folder: Path) -> list[Path]:
    path = folder / f"{document['figure']}.json"
    try:
        files.write(path, json.dumps(document, indent=1) + "\n")
        return [path, *plot.write(document, folder)]
    except OSError as error:
        fail(f"cannot write to {folder}: {error.strerror}")
