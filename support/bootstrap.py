"""Confidence intervals by the bootstrap: the figure is computed again from resampled samples."""

import random
import statistics
from collections.abc import Callable, Sequence

RESAMPLES = 2000
SEED = 1


def interval(
    figure: Callable[[list[int]], float], count: int, together: int = 1
) -> tuple[float, float]:
    """The 95% interval of `figure(places)`, for places of `count` samples drawn with replacement.

    The draws are the same each time. `together` neighbours are drawn at once, wrapping at the end,
    because what disturbs one sample disturbs the next (the circular block bootstrap of Politis and
    Romano, 1992).
    """
    generator = random.Random(SEED)
    figures = sorted(figure(_drawn(generator, count, together)) for _ in range(RESAMPLES))
    cut = RESAMPLES * 25 // 1000
    return figures[cut], figures[-1 - cut]


def interval_of_median(values: Sequence[float]) -> tuple[float, float]:
    return interval(lambda places: statistics.median([values[i] for i in places]), len(values))


def _drawn(generator: random.Random, count: int, together: int) -> list[int]:
    starts = generator.choices(range(count), k=-(-count // together))
    return [(start + step) % count for start in starts for step in range(together)][:count]
