"""What a figure draws of its points, from the times of exchanges, simulated or measured alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from rondo import schedule
from rondo.reproduce.figures import Figure, Line
from rondo.reproduce.points import Point

Seconds = Callable[[Point, str, int], float]  # of a point's exchange, by an algorithm, at a length


def value_of(figure: Figure, point: Point, seconds: Seconds) -> dict[str, Any]:
    """`y`, and what else is to be said of it."""
    if figure.y == "crossover":
        return crossover(figure.axes["bytes"], lambda size: _ratio(point, size, seconds))
    own = seconds(point, point.algorithm, point.bytes)
    if figure.y == "saving":
        return {"y": seconds(point, point.over, point.bytes) - own}
    return {"y": figure.times * own}


def count_of(line: Line, point: Point) -> int:
    """K or D of TRA, from its schedule."""
    made = schedule.bruck(point.ranks, point.radix)
    return made.K if line.count == "rounds" else made.D


def crossover(sizes: Sequence[int], ratio: Callable[[int], float]) -> dict[str, Any]:
    """The longest of the lengths at which a ratio of times is no more than 1.

    It is looked for by bisection, so as if it crossed once. Beyond the last length it is not known,
    below the first there is none.
    """
    low, high = -1, len(sizes)
    while high - low > 1:
        middle = (low + high) // 2
        if ratio(sizes[middle]) <= 1:
            low = middle
        else:
            high = middle
    if low < 0:
        return {"y": None}
    if high == len(sizes):
        return {"y": sizes[-1], "at_least": True}
    return {"y": sizes[low]}


def _ratio(point: Point, size: int, seconds: Seconds) -> float:
    return seconds(point, point.algorithm, size) / seconds(point, point.over, size)
