"""rondo list."""

from typing import Annotated, Optional

import typer
from rich.table import Table

from rondo import registry
from rondo.commands.options import COLLECTIVES, Format, check_collective, check_format
from rondo.commands.say import console, fail, print_rows

_LISTED = [*COLLECTIVES, "neighbor_alltoallv", "sparse_alltoallv"]


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
    table = Table(title=collective, title_justify="left", header_style="bold", show_lines=True)
    table.add_column("algorithm", no_wrap=True)
    for heading in ("idea", "cost for a rank", "source"):
        table.add_column(heading)
    for row in rows:
        parameters = "".join(f"\n  {one.name} = {one.default}" for one in row.parameters)
        table.add_row(f"[bold cyan]{row.name}[/]{parameters}", row.idea, row.cost, row.source)
    return table
