"""What rondo-bench measured: rows of its JSON lines, read and put in order."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

Row = dict[str, Any]

_FIELDS = ("collective", "distribution", "nodes", "ranks", "bytes", "algorithm", "median_us")


class Group(NamedTuple):
    """What one plot is about: only rows of one group are compared."""

    collective: str
    distribution: str
    nodes: int

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.collective}, {self.distribution}, {nodes}"

    def file_stem(self) -> str:
        """The title, in letters that every file system takes."""
        return "".join(c if c.isalnum() else "-" for c in self.title().replace(", ", "-"))


class Point(NamedTuple):
    ranks: int
    bytes: int


def rows_of(lines: Iterable[str]) -> list[Row]:
    """The rows among the lines; launchers talk on the same stream, so others are passed over."""
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


def full_name(row: Row) -> str:
    """An algorithm with the values that it ran with."""
    return ":".join(filter(None, [row["algorithm"], row["parameters"]]))


@dataclass
class Times:
    """Median microseconds of every algorithm of one group, by ranks and block size."""

    by_algorithm: dict[str, dict[Point, float]]

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
        return {point for times in self.by_algorithm.values() for point in times}

    def at(self, point: Point) -> dict[str, float]:
        """The time of every algorithm that was measured there."""
        return {
            algorithm: times[point]
            for algorithm, times in self.by_algorithm.items()
            if point in times
        }

    def fastest(self, point: Point) -> Optional[str]:
        times = self.at(point)
        return min(times, key=times.__getitem__) if times else None


def times_by_group(rows: Iterable[Row]) -> dict[Group, Times]:
    """The times of each group; of a row that comes again, in another run, the median."""
    samples: dict[Group, dict[str, dict[Point, list[float]]]] = {}
    for row in rows:
        group = Group(row["collective"], row["distribution"], row["nodes"])
        point = Point(row["ranks"], row["bytes"])
        algorithms = samples.setdefault(group, {})
        algorithms.setdefault(row["algorithm"], {}).setdefault(point, []).append(row["median_us"])
    return {
        group: Times(
            {
                algorithm: {point: statistics.median(runs) for point, runs in points.items()}
                for algorithm, points in algorithms.items()
            }
        )
        for group, algorithms in samples.items()
    }
