"""rondo list."""

from typing import Annotated, Optional

import typer
from rich.console import Group
from rich.padding import Padding
from rich.table import Table

from rondo import registry
from rondo.commands.options import COLLECTIVES, Format, check_collective, check_format
from rondo.commands.say import console, fail, print_rows

_LISTED = [*COLLECTIVES, "neighbor_alltoallv", "sparse_alltoallv"]
_HEADINGS = ("algorithm", "idea", "cost for a rank", "source")


def list_algorithms(
    collective: Annotated[
        Optional[str],
        typer.Argument(
            metavar="|".join(_LISTED),
            autocompletion=lambda: _LISTED,
            help="List only the algorithms of this exchange.",
        ),
    ] = None,
    format: Format = "table",
) -> None:
    """List the algorithms. P ranks, N nodes of Q ranks, S bytes a block, K rounds, D blocks."""
    serves = {"alltoallw": "alltoallv"}.get(collective or "", collective)
    every = [*registry.algorithms(), *registry.sparse_algorithms()]
    rows = [row for row in every if serves in (None, row.collective)]
    try:
        check_format(format)
        if collective is not None:
            check_collective(collective, _LISTED)
    except ValueError as error:
        fail(error)
    if format != "table":
        print_rows([_fields(row) for row in rows], format)
        return
    for name in dict.fromkeys(row.collective for row in rows):
        console.print(_table(name, [row for row in rows if row.collective == name]))


def _fields(row: registry.Algorithm) -> dict[str, str]:
    """The same as rondo-bench --list prints for programs."""
    return {
        "collective": row.collective,
        "algorithm": row.name,
        "parameters": ":".join(f"{one.name}={one.default}" for one in row.parameters),
        "idea": row.idea,
        "cost": row.cost,
        "source": row.source,
    }


def _table(collective: str, rows: list[registry.Algorithm]) -> Table:
    table = Table(title=collective, title_justify="left", show_lines=True, expand=True)
    cells = [(row.name, row.idea, row.cost, row.source) for row in rows]
    for heading, column in zip(_HEADINGS, zip(*cells)):
        table.add_column(heading, ratio=1, width=_longest_word(column), header_style="bold")
    for row, (_, *others) in zip(rows, cells):
        table.add_row(_with_parameters(row), *others)
    return table


def _longest_word(texts: tuple[str, ...]) -> int:
    """A column is at least as wide as this, so that no name is broken on a narrow terminal."""
    return max(len(word) for text in texts for word in text.split())


def _with_parameters(row: registry.Algorithm) -> Group:
    parameters = (f"{one.name} = {one.default}" for one in row.parameters)
    return Group(f"[bold cyan]{row.name}[/]", *(Padding(one, (0, 0, 0, 2)) for one in parameters))
