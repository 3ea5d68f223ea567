"""What the calls of `auto` cost, from the first one on a new communicator, and what for.

The cost of a call is its time less that of the best fixed algorithm in the same iteration. The
regret of n calls is their cost over the time of the best in these n iterations. Every call belongs
to one part, so the parts add up to the regret.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

FORWARDED = "forwarded"  # what rondo-bench says of calls before Rondo is set up

# A challenger runs twice in a row at most, and a call that reports lengths comes twice at most.
# After a trial the incumbent runs in more calls than that.
IN_A_ROW = 5

# A disturbed call can take a thousand times as long as others. Where such calls are capped, one
# counts as so many times the median of the calls of the same algorithm.
CAP = 4

START, FIRST, TRIALS, KEPT = "start", "first choice", "trials", "kept"
PARTS = {
    START: "calls that are forwarded, and the set-up in the first call after them",
    FIRST: "the first choice, until it is left",
    TRIALS: "other algorithms than the one that `auto` goes by: trials, and calls that report "
    "lengths",
    KEPT: "the algorithm that `auto` goes by afterwards: agreements, noise, and what it is slower",
}


def expand(changes: Sequence[tuple[int, str]], count: int) -> list[str]:
    """What ran in each of `count` iterations, from rondo-bench's `ran`."""
    ends = [at for at, _ in changes[1:]] + [count]
    return [name for (at, name), end in zip(changes, ends) for _ in range(at, end)]


def incumbents(ran: Sequence[str]) -> list[str]:
    """The algorithm that `auto` goes by in each call: the last one that ran a few times in a row.

    It can be told only up to 16 calls late, as a trial may begin with the change.
    """
    found: list[str] = []
    now = ran[0]
    for at, name in enumerate(ran):
        if name != now and list(ran[at : at + IN_A_ROW]) == [name] * IN_A_ROW:
            now = name
        found.append(now)
    return found


class Calls(NamedTuple):
    """Those of `auto` in the order in which it made them."""

    ran: list[str]
    incumbent: list[str]

    @property
    def begin(self) -> int:
        """How many were forwarded."""
        return next((at for at, name in enumerate(self.ran) if name != FORWARDED), len(self.ran))

    @property
    def first(self) -> str | None:
        """The first choice. None if all calls were forwarded."""
        return next((name for name in self.incumbent[self.begin :] if name != FORWARDED), None)

    @property
    def left(self) -> int | None:
        """How many calls there were before the first choice was left. None if it was kept."""
        later = enumerate(self.incumbent[self.begin :], self.begin)
        return next((at for at, name in later if name not in (FORWARDED, self.first)), None)

    def parts(self) -> list[str]:
        """The part of each call."""
        left = len(self.ran) if self.left is None else self.left
        return [self._part(at, left) for at in range(len(self.ran))]

    def _part(self, at: int, left: int) -> str:
        if at <= self.begin:
            return START
        if self.ran[at] != self.incumbent[at]:
            return TRIALS
        return FIRST if at < left else KEPT


def calls_of(changes: Sequence[tuple[int, str]], count: int) -> Calls:
    ran = expand(changes, count)
    return Calls(ran, incumbents(ran))


def capped(times: Sequence[float], groups: Sequence[str]) -> list[float]:
    """Each time, but at most CAP times the low median of its group."""
    by_group: dict[str, list[float]] = {}
    for time, group in zip(times, groups):
        by_group.setdefault(group, []).append(time)
    most = {group: CAP * statistics.median_low(some) for group, some in by_group.items()}
    return [min(time, most[group]) for time, group in zip(times, groups)]


class Costs(NamedTuple):
    """Sums over the first n calls, at place n - 1."""

    best: list[float]  # the time of the best
    parts: dict[str, list[float]]

    def regret(self, calls: int) -> float:
        return sum(self.part(name, calls) for name in PARTS)

    def regret_after_start(self, calls: int) -> float:
        return self.regret(calls) - self.part(START, calls)

    def part(self, name: str, calls: int) -> float:
        return self.parts[name][calls - 1] / self.best[calls - 1]


def costs_of(calls: Calls, auto: Sequence[float], best: Sequence[float]) -> Costs:
    of_call = calls.parts()
    parts = {
        name: list(
            accumulate(a - b if part == name else 0.0 for a, b, part in zip(auto, best, of_call))
        )
        for name in PARTS
    }
    return Costs(list(accumulate(best)), parts)


def capped_costs_of(calls: Calls, auto: Sequence[float], best: Sequence[float]) -> Costs:
    """As costs_of(), with disturbed calls capped. The set-up is none of them."""
    groups = list(calls.ran)
    if calls.begin < len(groups):
        groups[calls.begin] = START
    return costs_of(calls, capped(auto, groups), capped(best, ["best"] * len(best)))
