"""What `rondo run --record` has written of a program's exchanges.

>>> one = parse('''{"schema": "rondo record", "version": 1, "mpi": "Open MPI v4.1.4", "ranks": 8,
...   "nodes": 1, "ranks_per_node": 8, "cores": 4, "run_seconds": 2.5, "exchanges": [
...   {"communicator": "0.1", "collective": "alltoall", "ranks": 8, "nodes": 1, "ranks_per_node": 8,
...   "calls": 100, "longest_bytes": 64, "lengths": [{"blocks": 6400, "bytes": 409600}],
...   "seconds": 0.8, "measured_calls": 99, "measured_seconds": 0.7, "waited_seconds": 0.4,
...   "arrivals": [{"within_seconds": 1e-6, "calls": 60},
...                {"within_seconds": 4e-6, "calls": 39}]}]}''')
>>> one.exchanges[0].block_bytes, one.exchanges[0].calls, one.exchanges[0].skew_within(0.9)
(64.0, 100, 4e-06)
"""

import json
import math
import reprlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rondo import files
from rondo._core import most_ranks

__all__ = ["MOST_BYTES", "Arrivals", "Exchanges", "Length", "Record", "parse", "read"]

MOST_BYTES = 1 << 40  # of a block, as rondo simulate takes them
_SCHEMA = "rondo record"
_VERSION = 1
_COLLECTIVES = ("alltoall", "alltoallv", "alltoallw", "neighbor_alltoallv")
_MOST = 1 << 62
_MOST_NUMBER = 1e30
_ROUNDING = 1e-9


class Length(NamedTuple):
    """Blocks of similar lengths, as shares of all blocks."""

    share: float
    bytes: float  # the mean


class Arrivals(NamedTuple):
    """Calls of similar skew, which is the time from the first rank's arrival to the last one's."""

    within_seconds: float  # the longest skew of these calls, rounded up; may be infinite
    calls: int


class Exchanges(NamedTuple):
    """Exchanges of one kind and of similar lengths, on one communicator or on several alike."""

    communicator: str  # R.C, as in the names of count matrices
    collective: str
    ranks: int
    nodes: int
    ranks_per_node: int  # on the node with the most
    calls: int
    longest_bytes: int
    lengths: tuple[Length, ...]  # ascending; the shares add up to 1
    seconds: float  # in all calls, summed over the ranks, waiting included
    measured_calls: int  # those of which the waiting is known
    measured_seconds: float
    waited_seconds: float  # for the last rank, in the measured calls
    arrivals: tuple[Arrivals, ...] = ()  # of the measured calls, ascending
    communicators: int = 1

    @property
    def block_bytes(self) -> float:
        """The mean length of a block."""
        return sum(one.share * one.bytes for one in self.lengths)

    @property
    def wait_seconds(self) -> float:
        """How long an average rank waits for the last one, in a call."""
        return self.waited_seconds / max(1, self.measured_calls * self.ranks)

    @property
    def waiting_share(self) -> float:
        """Of the time in the measured calls, that in which ranks wait for the last one."""
        return self.waited_seconds / self.measured_seconds if self.measured_seconds > 0 else 0.0

    def skew_within(self, share: float) -> float:
        """Within which time all ranks arrive in that share of the measured calls; infinite if that
        is unknown."""
        calls = 0
        wanted = share * sum(one.calls for one in self.arrivals)
        for one in self.arrivals:
            calls += one.calls
            if calls >= wanted:
                return one.within_seconds
        return math.inf


class Record(NamedTuple):
    """What a program has exchanged."""

    mpi: str
    ranks: int
    nodes: int
    ranks_per_node: int
    cores: int  # of a node
    run_seconds: float
    exchanges: tuple[Exchanges, ...]


def read(path: Path) -> Record:
    """The record in a file.

    Parameters
    ----------
    path
        What was given to `rondo run --record`.

    Returns
    -------
    Record
        Exchanges that are alike but for their communicator are one.

    Raises
    ------
    ValueError
        If the file cannot be read, or is none; the error says why.
    """
    try:
        return parse(files.read_text(path))
    except OSError as error:
        raise ValueError(f"cannot read the record {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"cannot read the record {path}: {error}") from error


def parse(text: str) -> Record:
    """The record in a text.

    Parameters
    ----------
    text
        JSON.

    Returns
    -------
    Record
        Exchanges that are alike but for their communicator are one.

    Raises
    ------
    ValueError
        If it is no record, or of another version.
    """
    if text.startswith("# ") and "row s, column d" in text[:200]:
        raise ValueError(
            "it is a count matrix; the record is the file without the three numbers at the end"
        )
    try:
        json_value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON (truncated?)") from error
    root = _Item(json_value, "it")
    if root.at("schema").value != _SCHEMA:
        raise ValueError(f"it is not a {_SCHEMA}, which rondo run --record writes")
    if root.at("version").value != _VERSION:
        raise ValueError(f"it is of another version than {_VERSION}")
    rows = [_exchanges(item) for item in root.at("exchanges").items()]
    return Record(
        mpi=root.at("mpi").text(),
        ranks=root.at("ranks").whole(1, most_ranks),
        nodes=root.at("nodes").whole(1, most_ranks),
        ranks_per_node=root.at("ranks_per_node").whole(1, most_ranks),
        cores=root.at("cores").whole(1, _MOST),
        run_seconds=root.at("run_seconds").number(),
        exchanges=tuple(_merged(rows)),
    )


class _Item:
    """A value of the file and where it stands, for messages."""

    def __init__(self, value: Any, where: str):
        self.value = value
        self.where = where

    def at(self, name: str) -> "_Item":
        if not isinstance(self.value, dict) or name not in self.value:
            raise ValueError(f"{self.where} has no {name}")
        return _Item(self.value[name], name if self.where == "it" else f"{self.where}.{name}")

    def items(self) -> list["_Item"]:
        if not isinstance(self.value, list):
            raise self._refusal("a list")
        return [_Item(one, f"{self.where}[{place}]") for place, one in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self._refusal("a text")
        return self.value

    def whole(self, least: int, most: int) -> int:
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not is_whole or not least <= self.value <= most:
            raise self._refusal(f"in {least}..{most}")
        return int(self.value)

    def number(self) -> float:
        is_number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        if not is_number or not 0 <= self.value <= _MOST_NUMBER:
            raise self._refusal(f"a number in 0..{_MOST_NUMBER:.0e}")
        return float(self.value)

    def _refusal(self, what: str) -> ValueError:
        return ValueError(f"{self.where} is {reprlib.repr(self.value)}, must be {what}")


def _exchanges(item: _Item) -> Exchanges:
    collective = item.at("collective").text()
    if collective not in _COLLECTIVES:
        raise ValueError(
            f"{item.where}.collective is {collective!r}, must be {', '.join(_COLLECTIVES)}"
        )
    ranks = item.at("ranks").whole(1, most_ranks)
    longest = item.at("longest_bytes").whole(0, MOST_BYTES)
    return Exchanges(
        communicator=item.at("communicator").text(),
        collective=collective,
        ranks=ranks,
        nodes=item.at("nodes").whole(1, ranks),
        ranks_per_node=item.at("ranks_per_node").whole(1, ranks),
        calls=item.at("calls").whole(1, _MOST),
        longest_bytes=longest,
        lengths=_lengths(item.at("lengths"), longest),
        seconds=item.at("seconds").number(),
        measured_calls=item.at("measured_calls").whole(0, _MOST),
        measured_seconds=item.at("measured_seconds").number(),
        waited_seconds=item.at("waited_seconds").number(),
        arrivals=_summed(_arrivals(one) for one in item.at("arrivals").items()),
    )


def _arrivals(item: _Item) -> Arrivals:
    within = item.at("within_seconds")
    seconds = math.inf if within.value is None else within.number()
    return Arrivals(seconds, item.at("calls").whole(1, _MOST))


def _summed(all_arrivals: Iterable[Arrivals]) -> tuple[Arrivals, ...]:
    calls: Counter[float] = Counter()
    for one in all_arrivals:
        calls[one.within_seconds] += one.calls
    return tuple(Arrivals(*item) for item in sorted(calls.items()))


def _lengths(item: _Item, longest: int) -> tuple[Length, ...]:
    found = [(one.at("blocks").whole(1, _MOST), one.at("bytes").number()) for one in item.items()]
    blocks = sum(number for number, _ in found)
    if blocks == 0:
        raise ValueError(f"{item.where} is empty")
    lengths = [Length(number / blocks, total / number) for number, total in found]
    if max(one.bytes for one in lengths) > longest * (1 + _ROUNDING):
        raise ValueError(f"{item.where} has longer blocks than longest_bytes, {longest}")
    return tuple(sorted(lengths, key=lambda one: one.bytes))


def _merged(rows: Iterable[Exchanges]) -> Iterable[Exchanges]:
    """Exchanges on communicators that are alike become one, with the calls of one of them."""
    alike: dict[tuple[object, ...], list[Exchanges]] = {}
    for row in rows:
        key = (row.collective, row.ranks, row.nodes, row.ranks_per_node, _band(row.longest_bytes))
        alike.setdefault(key, []).append(row)
    for group in alike.values():
        yield group[0] if len(group) == 1 else _sum(group)


def _band(longest: int) -> int:
    """As in statistics: up to 15, 63, 255, ... bytes."""
    return 0 if longest == 0 else max(1, (longest.bit_length() - 3) // 2 + 1)


def _sum(group: list[Exchanges]) -> Exchanges:
    calls = sum(row.calls for row in group)
    lengths: list[Length] = []
    for row in group:
        lengths += [Length(one.share * row.calls / calls, one.bytes) for one in row.lengths]
    communicators = len({row.communicator for row in group})
    return group[0]._replace(
        calls=calls,
        longest_bytes=max(row.longest_bytes for row in group),
        lengths=_bands(lengths),
        seconds=sum(row.seconds for row in group),
        measured_calls=sum(row.measured_calls for row in group),
        measured_seconds=sum(row.measured_seconds for row in group),
        waited_seconds=sum(row.waited_seconds for row in group),
        arrivals=_summed(one for row in group for one in row.arrivals),
        communicators=communicators,
    )


def _bands(lengths: list[Length]) -> tuple[Length, ...]:
    bands: dict[int, list[Length]] = {}
    for one in lengths:
        bands.setdefault(_band(math.floor(one.bytes)), []).append(one)
    made = []
    for group in bands.values():
        share = sum(one.share for one in group)
        total = sum(one.share * one.bytes for one in group)
        made.append(Length(share, total / share if share > 0 else 0.0))
    return tuple(sorted(made, key=lambda one: one.bytes))
