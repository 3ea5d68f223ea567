"""rondo plot."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from rondo._core import suggestion
from rondo.commands.options import check_format, choice
from rondo.commands.say import console, fail
from rondo.files import read_text
from rondo.results import Group, Times, rows_of, times_by_group

_KINDS = ("size", "ranks", "speedup", "speedup-size", "regions")
_SUFFIXES = ("png", "svg", "pdf")


def plot_files(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="JSON files written by `rondo bench --save` or rondo-bench.", readable=False
        ),
    ],
    kind: Annotated[
        Optional[list[str]],
        choice(
            words=_KINDS,
            help="size: time against S; ranks: time against P; speedup: against MPI over S and P; "
            "speedup-size: the same against S; regions: the fastest algorithm over S and P. "
            "May be repeated; all by default.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder for the plots.")
    ] = Path(),
    suffix: Annotated[
        str, choice("--format", words=_SUFFIXES, help="The form of the plots.")
    ] = "png",
) -> None:
    """Plot measurements: one file for each kind of plot and each exchange."""
    kinds = kind or _KINDS
    try:
        check_format(suffix, _SUFFIXES)
    except ValueError as error:
        fail(error)
    for name in kinds:
        if name not in _KINDS:
            fail(f"no plot {name!r}{suggestion(name, _KINDS)}")
    groups = _read(files)
    try:
        from rondo import plots
    except ModuleNotFoundError as error:
        fail(f"plots need {error.name}: pip install matplotlib")
    try:
        output.mkdir(parents=True, exist_ok=True)
        for group, times in groups.items():
            for name in kinds:
                path = plots.write(group, times, name, output, suffix)
                console.print(str(path), highlight=False, soft_wrap=True)
    except (OSError, ValueError) as error:
        fail(f"cannot write the plot: {error}")


def _read(files: list[Path]) -> dict[Group, Times]:
    rows = []
    for file in files:
        try:
            rows += rows_of(read_text(file).splitlines())
        except OSError as error:
            fail(f"cannot read {file}: {error.strerror}")
        except ValueError as error:
            fail(f"cannot read {file}: {error}")
    if not rows:
        fail("no rows of rondo-bench in these files; it writes them with --format json")
    return times_by_group(rows)
