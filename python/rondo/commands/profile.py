"""rondo profile."""

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape

from rondo import mpi_library, profiles
from rondo.commands.options import Format, check_format
from rondo.commands.profiles import band_rows, bands_table, machine_table, number, read_or_fail
from rondo.commands.say import console, fail, print_rows
from rondo.commands.status import Status
from rondo.select import Measured, Profile

app = typer.Typer(
    help="Show and check profiles that `rondo tune` has written.",
    no_args_is_help=True,
    add_completion=False,
)

_File = Annotated[
    Optional[Path],
    typer.Argument(
        help="The profile; by default RONDO_PROFILE, or else the user's configuration.",
        readable=False,
    ),
]


def _path(file: Optional[Path]) -> Path:
    try:
        return profiles.file_or_default(file)
    except profiles.NoProfile as error:
        fail(error)


@app.command("show")
def show_profile(file: _File = None, format: Format = "table") -> None:
    """Show what was measured: the machine's costs, and which algorithm is used for which blocks."""
    try:
        check_format(format)
    except ValueError as error:
        fail(error)
    path = _path(file)
    profile = read_or_fail(path)
    if format != "table":
        print_rows([row for one in profile.layouts for row in _rows(one)], format)
        return
    console.print(f"[bold]{escape(str(path))}[/]", highlight=False, soft_wrap=True)
    console.print(_signature(profile), highlight=False, markup=False)
    refused = profiles.refusal(profile)
    if refused:
        console.print(f"It is not valid here: {refused}.", highlight=False, markup=False)
    console.print()
    console.print(machine_table(profile.machine))
    for measured in profile.layouts:
        show_layout(measured)


@app.command("check")
def check_profile(file: _File = None) -> None:
    """Check whether a profile is valid here: exit status 0 if so, or 1 and the reason if not."""
    path = _path(file)
    profile = read_or_fail(path)
    refused = profiles.refusal(profile)
    if refused:
        fail(
            f"the profile {path} is not valid here: {refused}; `rondo tune` writes a new one",
            Status.WRONG_RESULT,
        )
    what = number(len(profile.layouts), "layout")
    unknown = "" if mpi_library.version_here() else "; the MPI library could not be checked"
    console.print(
        f"{path} is valid here: {_signature(profile)}; {what} measured{unknown}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def show_layout(measured: Measured) -> None:
    """Show the decisions for one layout of a communicator."""
    per_node = f"{measured.per_node} a node" if measured.per_node else "nodes of unequal size"
    title = f"{number(measured.ranks, 'rank')} on {number(measured.nodes, 'node')}, {per_node}"
    for collective in ("alltoall", "alltoallv"):
        console.print(f"\n[bold]{collective}[/], {title}", highlight=False)
        console.print(bands_table(measured.of(collective)))


def _rows(measured: Measured) -> list[dict[str, Any]]:
    """The decisions for one layout, a row for each band of lengths."""
    where = {"ranks": measured.ranks, "nodes": measured.nodes, "per_node": measured.per_node}
    return [
        {**where, "collective": collective, **row}
        for collective in ("alltoall", "alltoallv")
        for row in band_rows(measured.of(collective))
    ]


def _signature(profile: Profile) -> str:
    there = profile.signature
    cores = number(there.cores, "core")
    return f"Rondo {profile.rondo}, {there.mpi}, {cores} '{there.processor}'"
