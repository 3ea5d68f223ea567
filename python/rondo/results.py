"""Reads and groups the rows that rondo-bench writes as JSON lines.

bench/summary.py uses this without building the package, so it imports nothing of the package.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

Row = dict[str, Any]

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


class Group(NamedTuple):
    """The subject of one plot. Only rows of one group are compared."""

    collective: str
    distribution: str
    nodes: int

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.collective}, {self.distribution}, {nodes}"

    def file_stem(self) -> str:
        """The title in characters that every file system accepts."""
        return "".join(c if c.isalnum() else "-" for c in self.title().replace(", ", "-"))


class Point(NamedTuple):
    ranks: int
    bytes: int


class Measured(NamedTuple):
    """One algorithm at one point."""

    microseconds: float  # the median
    speedup: float  # against the MPI library's own call in the same run


def rows_of(lines: Iterable[str]) -> list[Row]:
    """The rows among the lines. Launchers print to the same stream; their lines are ignored."""
    rows = []
    for line in lines:
        if line.startswith("{"):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"a line that is not JSON: {error}") from error
            if "collective" in row:
                missing = [field for field in _FIELDS if field not in row]
                if missing:
                    raise ValueError(f"a row without {', '.join(missing)}")
                rows.append(row)
    return rows


def group_of(row: Row) -> Group:
    return Group(row["collective"], row["distribution"], row["nodes"])


def full_name(row: Row) -> str:
    """An algorithm with the values of its parameters."""
    return ":".join(filter(None, [row["algorithm"], row["parameters"]]))


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

    def fastest(self, point: Point) -> str | None:
        there = self.at(point)
        return min(there, key=lambda name: there[name].microseconds) if there else None


def times_by_group(rows: Iterable[Row]) -> dict[Group, Times]:
    """The times of each group. A row that several runs contain gets the medians."""
    runs: dict[Group, dict[str, dict[Point, list[Measured]]]] = {}
    for row in rows:
        point = Point(row["ranks"], row["bytes"])
        algorithms = runs.setdefault(group_of(row), {})
        measured = Measured(row["median_us"], row["speedup"])
        algorithms.setdefault(row["algorithm"], {}).setdefault(point, []).append(measured)
    return {group: Times(_medians(algorithms)) for group, algorithms in runs.items()}


def _medians(
    algorithms: dict[str, dict[Point, list[Measured]]],
) -> dict[str, dict[Point, Measured]]:
    return {
        algorithm: {
            point: Measured(*map(statistics.median, zip(*runs))) for point, runs in points.items()
        }
        for algorithm, points in algorithms.items()
    }
