"""How the commands find and print profiles."""

from pathlib import Path
from typing import NamedTuple, NoReturn, Optional

from rich.table import Table
from rich.text import Text

from rondo import model, profiles
from rondo.commands.say import fail, warn
from rondo.model import Machine
from rondo.select import Band, Profile

TYPICAL = "a typical cluster"

_LINK = (
    ("alpha, per message", "hockney.alpha_seconds"),
    ("beta, per byte", "hockney.beta_seconds_per_byte"),
    ("L, on the way", "loggp.latency_seconds"),
    ("o, per rank", "loggp.overhead_seconds"),
    ("g, to the next message", "loggp.gap_seconds"),
    ("G, per byte", "loggp.gap_seconds_per_byte"),
)
_HOST = (
    ("a node's adapter", "adapter_seconds_per_byte"),
    ("copied byte", "copy_seconds_per_byte"),
    ("copied block", "copy_seconds_per_block"),
    ("more for a block copied by datatype", "typed_seconds_per_block"),
    ("arrival of a rank of the node", "arrival_seconds"),
    ("switch to a rank on the same core", "switch_seconds"),
)


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
    for name, field in _LINK:
        costs = (_cost(link, field) for link in (machine.inside, machine.between))
        table.add_row(name, *costs)
    for name, field in _HOST:
        table.add_row(name, _cost(machine.host, field))
    return table


def _cost(owner: object, path: str) -> str:
    for field in path.split("."):
        owner = getattr(owner, field)
    assert isinstance(owner, float)
    return _rate(owner) if path.endswith("per_byte") else _time(owner)


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _rate(seconds_per_byte: float) -> str:
    if seconds_per_byte == 0:
        return "nothing"
    rate = 1 / seconds_per_byte
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g} B/s"
