"""How the commands print results, warnings and errors.

Colours are rich's: only on terminals, and not with NO_COLOR or TERM=dumb.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console

from rondo import files
from rondo.commands.status import Status


class _Console(Console):
    """Whoever reads the output may stop, as head does; rich would end with status 1."""

    def on_broken_pipe(self) -> None:
        raise  # the BrokenPipeError that is being handled; see rondo.commands


console = _Console()
errors = _Console(stderr=True, highlight=False, soft_wrap=True)


def warn(text: object) -> None:
    """Print a warning."""
    errors.print(f"rondo: {text}", markup=False)


def fail(text: object, status: Status = Status.WRONG_USE) -> NoReturn:
    """Print an error and exit."""
    warn(text)
    raise typer.Exit(status)


def write_or_fail(path: Path, text: str) -> None:
    """Write a file, or print why that failed and exit."""
    try:
        files.write(path, text)
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")


def print_rows(rows: Sequence[Mapping[str, Any]], format: str) -> None:
    """Print rows for programs."""
    typer.echo(rows_text(rows, format), nl=False)


def rows_text(rows: Sequence[Mapping[str, Any]], format: str) -> str:
    """Rows for programs: one JSON object a line, or comma-separated values."""
    if format == "json":
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
