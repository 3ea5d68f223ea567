"""How the commands print results, warnings and errors."""

from typing import NoReturn

import typer
from rich.console import Console

console = Console()
_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def warn(text: object) -> None:
    """Print a warning."""
    _errors.print(f"rondo: {text}", markup=False)


def fail(text: object) -> NoReturn:
    """Print an error and exit with the status for wrong usage."""
    warn(text)
    raise typer.Exit(2)
