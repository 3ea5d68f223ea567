"""What a machine's messages and copies cost, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from rondo.model import Machine

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


def rows(machine: Machine) -> Iterator[list[str]]:
    """Each cost with its name, inside a node and between nodes where it has both.

    Numbers are in the unit that makes them small.
    """
    for name, field in _LINK:
        yield [name, _cost(machine.inside, field), _cost(machine.between, field)]
    for name, field in _HOST:
        yield [name, _cost(machine.host, field)]


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
