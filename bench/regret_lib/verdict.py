"""How much slower `auto` is than the best, and than the MPI library, from the samples of a cell.

The best is the candidate with the least median over the odd iterations; the even iterations tell
how much slower `auto` is. The least of many noisy medians is low partly by chance. Judged by the
same iterations it would stay low, and `auto` would look worse than it is, the more so the more
candidates there are.

Samples of one iteration belong together, since a disturbance hits all of them. So do samples of
consecutive iterations, since a disturbance lasts. Therefore the bootstrap draws runs of iterations,
not samples.
"""

from __future__ import annotations

import statistics
from typing import NamedTuple

from bootstrap import interval

from .candidates import AUTO, MPI

LONGEST_RUN = 8  # iterations that are drawn together

MEDIAN_LIMIT = 0.05  # of the regrets of all cells
WORST_LIMIT = 0.25  # of the regret of a cell
MPI_LIMIT = 0.05  # by how much `auto` may be slower than the MPI library

Samples = dict[str, list[float]]  # by candidate, in the order of the iterations


class Excess(NamedTuple):
    """How much longer one takes than another, with its 95% interval: 0.1 is a tenth longer."""

    value: float
    low: float
    high: float

    def is_beyond(self, limit: float) -> bool:
        """Whether the whole interval is."""
        return self.low > limit

    def is_in_doubt(self, limit: float) -> bool:
        """Whether the samples are too few or too noisy to tell."""
        return self.low <= limit < self.high

    def percent(self) -> str:
        return f"{100 * self.value:.1f} %"

    def title(self) -> str:
        return f"{self.percent()} ({100 * self.low:.1f} to {100 * self.high:.1f})"


class Verdict(NamedTuple):
    """On one cell."""

    best: str
    regret: Excess  # of auto, against the best
    slowdown: Excess  # of auto, against the MPI library


def check(samples: Samples) -> None:
    for needed in (AUTO, MPI):
        if needed not in samples:
            raise ValueError(f"no samples of `{needed}`")
    counts = {len(series) for series in samples.values()}
    if len(counts) != 1 or min(counts) < 2:
        raise ValueError("algorithms need the same number of samples, two at least")
    if any(sample <= 0 for series in samples.values() for sample in series):
        raise ValueError("a sample that is not positive")


def best_of(samples: Samples) -> str:
    """`auto` is not compared with itself."""
    others = [name for name in samples if name != AUTO]
    return min(others, key=lambda name: statistics.median(samples[name][1::2]))


def excess(slow: list[float], quick: list[float]) -> Excess:
    """Always the same for the same samples, whatever else is judged."""

    def ratio(places) -> float:
        medians = (statistics.median([series[i] for i in places]) for series in (slow, quick))
        return next(medians) / next(medians) - 1

    count = len(slow)
    together = max(1, min(LONGEST_RUN, count // LONGEST_RUN))
    return Excess(ratio(range(count)), *interval(ratio, count, together))


def judge(samples: Samples) -> Verdict:
    check(samples)
    best = best_of(samples)
    auto = samples[AUTO][0::2]
    return Verdict(
        best,
        regret=excess(auto, samples[best][0::2]),
        slowdown=excess(auto, samples[MPI][0::2]),
    )
