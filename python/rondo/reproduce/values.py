"""What a figure draws of its points, from the times of exchanges, simulated or measured alike."""

from __future__ import annotations

import math
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
    """The length at which a ratio of times becomes 1, on a straight line of logarithms.

    It is looked for by bisection, so as if it crossed once. Beyond the last length it is not known,
    below the first there is none.
    """
    low, high = -1, len(sizes)
    found: dict[int, float] = {}
    while high - low > 1:
        middle = (low + high) // 2
        found[middle] = ratio(sizes[middle])
        if found[middle] <= 1:
            low = middle
        else:
            high = middle
    if low < 0:
        return {"y": None}
    if high == len(sizes):
        return {"y": sizes[-1], "at_least": True}
    before, after = math.log(found[low]), math.log(found[high])
    share = -before / (after - before)
    return {"y": sizes[low] * (sizes[high] / sizes[low]) ** share}


def _ratio(point: Point, size: int, seconds: Seconds) -> float:
    return seconds(point, point.algorithm, size) / seconds(point, point.over, size)
