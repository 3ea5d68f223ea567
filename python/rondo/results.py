"""Reads and groups the rows that rondo-bench writes as JSON lines.

bench/summary.py uses this without building the package, so it imports nothing of the package.
"""

from __future__ import annotations

import json
import math
import reprlib
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

Row = dict[str, Any]

MPI = "mpi"  # the row of the MPI library's own call
AUTO = "auto"

_FIELDS = (
    "collective",
    "distribution",
    "nodes",
    "ranks",
    "bytes",
    "algorithm",
    "median_us",
    "speedup",
)
# What the fields may be whose values count here: words, or numbers from the least to the most.
_WORDS = ("collective", "distribution", "algorithm", "parameters", "mpi", "mpi_version")
_COUNTS = {"nodes": (1, 1 << 31), "ranks": (1, 1 << 31), "bytes": (0, 1 << 63)}
_FIGURES = {
    "median_us": (1e-6, 1e15),
    "low_us": (0.0, 1e15),
    "high_us": (1e-6, 1e15),
    "speedup": (1e-6, 1e15),
}


class Group(NamedTuple):
    """The subject of one plot. Only rows of one group are compared."""

    collective: str
    distribution: str
    nodes: int
    library: str = ""  # the MPI library, with its version; empty if the rows do not say

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.collective}, {self.distribution}, {nodes}"

    def against(self) -> str:
        """What Rondo is compared with."""
        return f"{self.library or 'the MPI library'}'s MPI_{self.collective.capitalize()}"

    def file_stem(self) -> str:
        """The title and the library in characters that every file system accepts."""
        words = [self.title(), self.library] if self.library else [self.title()]
        return "".join(c if c.isalnum() else "-" for c in "-".join(words).replace(", ", "-"))


class Point(NamedTuple):
    ranks: int
    bytes: int


class Measured(NamedTuple):
    """One algorithm at one point."""

    microseconds: float  # the median
    low: float  # the 95 % interval of the median
    high: float
    speedup: float  # against the MPI library's own call in the same run
    is_disturbed: bool = False  # so that no difference is significant


class Interval(NamedTuple):
    """A figure and its interval."""

    value: float
    low: float
    high: float


def rows_of(lines: Iterable[str]) -> list[Row]:
    """The rows among the lines. Launchers print to the same stream; their lines are ignored.

    ValueError names the line and the field with which something is wrong.
    """
    rows = []
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            try:
                row = json.loads(line)
                if "collective" in row:
                    _check(row)
                    rows.append(row)
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error}") from error
            except RecursionError as error:
                raise ValueError(f"line {number} is JSON that is nested too deeply") from error
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return rows


def _check(row: Row) -> None:
    """Raise ValueError if a field is missing, or is not what can be compared and drawn."""
    missing = [field for field in _FIELDS if field not in row]
    if missing:
        raise ValueError(f"a row without {', '.join(missing)}")
    for field in _WORDS:
        word = row.get(field, "")
        if not isinstance(word, str) or not word.isprintable():
            raise ValueError(f"{field} is {reprlib.repr(word)}, must be words")
    for kind, limits in ((int, _COUNTS), ((int, float), _FIGURES)):
        for field, ends in limits.items():
            if field in row:
                _check_number(field, row[field], kind, ends)


def _check_number(field: str, value: Any, kind: Any, limits: tuple[float, float]) -> None:
    least, most = limits
    is_right = isinstance(value, kind) and not isinstance(value, bool) and least <= value <= most
    if not is_right:
        what = "a whole number" if kind is int else "a number"
        raise ValueError(
            f"{field} is {reprlib.repr(value)}, must be {what} from {least:g} to {most:g}"
        )


def group_of(row: Row) -> Group:
    library = f"{row.get('mpi', '')} {row.get('mpi_version', '')}".strip()
    return Group(row["collective"], row["distribution"], row["nodes"], library)


def full_name(row: Row) -> str:
    """An algorithm with the values of its parameters."""
    return ":".join(filter(None, [row["algorithm"], row["parameters"]]))


def digits(value: float) -> str:
    """Three digits, or all of a whole number: a measurement shows no more."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def may_win(row: Row) -> bool:
    """Whether the row may be called the fastest: its bytes are right, and nothing disturbed it."""
    return not row.get("errors") and not row.get("disturbed")


def is_disturbed(rows: Iterable[Row]) -> bool:
    """Whether something disturbed the measurement that the rows are of."""
    return any(row.get("disturbed") for row in rows)


@dataclass
class Times:
    """The measurements of one group, by ranks, block length and algorithm."""

    by_algorithm: dict[str, dict[Point, Measured]]

    @property
    def algorithms(self) -> list[str]:
        return list(self.by_algorithm)

    @property
    def ranks(self) -> list[int]:
        return sorted({point.ranks for point in self.points()})

    @property
    def sizes(self) -> list[int]:
        return sorted({point.bytes for point in self.points()})

    def points(self) -> set[Point]:
        return {point for measured in self.by_algorithm.values() for point in measured}

    def at(self, point: Point) -> dict[str, Measured]:
        """The measurements at a point, by algorithm."""
        return {
            algorithm: measured[point]
            for algorithm, measured in self.by_algorithm.items()
            if point in measured
        }

    def tied(self, point: Point) -> list[str]:
        """The fastest algorithm, then those that are not significantly slower.

        A difference is significant if the intervals of the medians do not overlap, and nothing
        disturbed them.
        """
        there = self.at(point)
        ranking = sorted(there, key=lambda name: there[name].microseconds)
        is_disturbed = any(one.is_disturbed for one in there.values())
        return [
            name for name in ranking if is_disturbed or there[name].low <= there[ranking[0]].high
        ]

    def disturbed(self) -> str:
        """What a reader of figures must know of them; empty if nothing disturbed them."""
        all_points = self.points()
        count = sum(
            any(one.is_disturbed for one in self.at(point).values()) for point in all_points
        )
        return f"{count} of {len(all_points)} points disturbed" if count else ""

    def excess(self, algorithm: str, point: Point) -> float:
        """How much slower than the fastest it is there, as a logarithm."""
        there = self.at(point)
        least = min(one.microseconds for one in there.values())
        return math.log(there[algorithm].microseconds / least)

    def speedup(self, algorithm: str, point: Point) -> Interval:
        """Against the MPI library, with all that the intervals of both medians allow."""
        there = self.at(point)
        own = there[algorithm]
        if own.is_disturbed:
            return Interval(own.speedup, 0, math.inf)
        if MPI not in there:
            return Interval(own.speedup, own.speedup, own.speedup)
        base = there[MPI]
        most = base.high / own.low if own.low > 0 else math.inf
        return Interval(own.speedup, base.low / own.high, most)


def times_by_group(rows: Iterable[Row]) -> dict[Group, Times]:
    """The times of each group.

    A row that several runs contain gets the medians, and an interval that covers those of all runs.
    """
    runs: dict[Group, dict[str, dict[Point, list[Measured]]]] = {}
    for row in rows:
        point = Point(row["ranks"], row["bytes"])
        algorithms = runs.setdefault(group_of(row), {})
        median = row["median_us"]
        ends = {"low": median, "high": median}
        ends.update((name, row[f"{name}_us"]) for name in ends if f"{name}_us" in row)
        disturbed = bool(row.get("disturbed"))
        measured = Measured(median, **ends, speedup=row["speedup"], is_disturbed=disturbed)
        algorithms.setdefault(row["algorithm"], {}).setdefault(point, []).append(measured)
    return {group: Times(_together(algorithms)) for group, algorithms in runs.items()}


def _together(
    algorithms: dict[str, dict[Point, list[Measured]]],
) -> dict[str, dict[Point, Measured]]:
    return {
        algorithm: {point: _merged(runs) for point, runs in points.items()}
        for algorithm, points in algorithms.items()
    }


def _merged(runs: list[Measured]) -> Measured:
    """Runs that nothing disturbed count alone if there are some."""
    runs = [one for one in runs if not one.is_disturbed] or runs
    return Measured(
        statistics.median(one.microseconds for one in runs),
        min(one.low for one in runs),
        max(one.high for one in runs),
        statistics.median(one.speedup for one in runs),
        all(one.is_disturbed for one in runs),
    )
