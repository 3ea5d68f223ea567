"""How the commands find and print profiles."""

from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Optional

from rich.table import Table
from rich.text import Text

from rondo import costs, model, profiles
from rondo.commands.say import fail, warn
from rondo.model import Machine
from rondo.select import Band, Profile

TYPICAL = "a typical cluster"


class Source(NamedTuple):
    """The machine that a command uses for predictions, and its name."""

    profile: Optional[Profile]
    path: Optional[Path]

    @property
    def machine(self) -> Machine:
        return model.typical_cluster() if self.profile is None else self.profile.machine

    @property
    def machine_name(self) -> str:
        return TYPICAL if self.path is None else f"that of {self.path}"


def source_of(file: Optional[Path]) -> Source:
    """The profile in `file`, valid here or not, or the one that `auto` uses here.

    A profile that `auto` ignores here is ignored with the same warning.
    """
    if file is not None:
        profile = read_or_fail(file)
        refused = profiles.refusal(profile)
        if refused:
            warn(f"{file} is for another machine than this one: {refused}")
        return Source(profile, file)
    found = profiles.in_use()
    if found.warning:
        warn(
            f"the profile {found.path} is not used: {found.warning}; `rondo tune` writes a new one"
        )
    return Source(found.profile, found.path if found.profile else None)


def read_or_fail(path: Path) -> Profile:
    try:
        return profiles.read(path)
    except FileNotFoundError:
        fail(f"no profile {path}; `rondo tune` writes one")
    except OSError as error:
        cannot_read(path, error.strerror)
    except ValueError as error:
        cannot_read(path, error)


def cannot_read(path: Path, why: object) -> NoReturn:
    fail(f"cannot read the profile {path}: {why}")


def number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def band_rows(bands: list[Band], chosen: Optional[Band] = None) -> list[dict[str, Any]]:
    """The same for programs; `from` and `up_to` are lengths in bytes."""
    rows: list[dict[str, Any]] = []
    start = 0
    for band in bands:
        row = {"from": start, "up_to": band.up_to, "algorithm": band.algorithm}
        if chosen is not None:
            row["is_chosen"] = band.up_to == chosen.up_to
        rows.append({**row, "reason": band.reason})
        start = (band.up_to or 0) + 1
    return rows


def bands_table(bands: list[Band], chosen: Optional[Band] = None) -> Table:
    """The algorithm for each band of block lengths; the chosen band is highlighted."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("S bytes", justify="right", no_wrap=True)
    table.add_column("algorithm", overflow="fold")
    table.add_column("why")
    start = 0
    for band in bands:
        is_chosen = chosen is not None and band.up_to == chosen.up_to
        table.add_row(
            _range(start, band.up_to),
            band.algorithm,
            Text(band.reason),  # a profile's text is not markup
            style="bold green" if is_chosen else None,
        )
        start = (band.up_to or 0) + 1
    return table


def _range(start: int, up_to: Optional[int]) -> str:
    if up_to is None:
        return f"{start} .."
    return str(up_to) if start == up_to else f"{start} .. {up_to}"


def machine_table(machine: Machine) -> Table:
    """The machine's costs, each in a suitable unit."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("cost")
    for heading in ("inside a node", "between nodes"):
        table.add_column(heading, justify="right")
    for row in costs.rows(machine):
        table.add_row(*row)
    return table
