"""How the commands talk."""

from typing import NoReturn

import typer
from rich.console import Console

console = Console()
_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def warn(text: object) -> None:
    """Say what is not as it should be, and go on."""
    _errors.print(f"rondo: {text}", markup=False)


def fail(text: object) -> NoReturn:
    """Say what is wrong, and end with the status of wrong use."""
    warn(text)
    raise typer.Exit(2)
