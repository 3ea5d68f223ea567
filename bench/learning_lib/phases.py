"""How `auto` follows a change in the middle of a run."""

from __future__ import annotations

import statistics
from typing import NamedTuple

from .calls import Calls

Times = dict[str, list[float]]  # by fixed algorithm, with all parameters

SETTLED = 4  # the last quarter of a phase tells how it ends


class Phase(NamedTuple):
    """Calls from `begin` to `end`, between which nothing changes."""

    begin: int
    end: int

    def median(self, times: list[float]) -> float:
        return statistics.median(times[self.begin : self.end])

    def last(self) -> Phase:
        return Phase(self.end - (self.end - self.begin) // SETTLED, self.end)


class Following(NamedTuple):
    """What `auto` did in a phase."""

    before: str  # what it went by when the phase began
    at_end: str
    best: str  # of the fixed algorithms, by their medians in this phase
    tried_after: int | None  # calls until it ran another algorithm
    changed_after: int | None  # calls until it went by another algorithm
    factor: float | None  # the time of what it went by, over that in the phase before
    over_best: float  # the time of `auto` over the best's, at the end of the phase


def phases_of(calls: int, away: int, back: int) -> list[Phase]:
    """Before the ranks move onto one core, while they are there, and after they are back."""
    return [Phase(0, away), Phase(away, back), Phase(back, calls)]


def first_other(names: list[str], phase: Phase, than: str) -> int | None:
    """How many calls of the phase are before the first one with another name."""
    found = (at for at in range(phase.begin, phase.end) if names[at] != than)
    at = next(found, None)
    return None if at is None else at - phase.begin


def follow(calls: Calls, auto: list[float], fixed: Times, before: Phase, phase: Phase) -> Following:
    incumbent = calls.incumbent[phase.begin - 1]
    own = fixed.get(incumbent)
    last = phase.last()
    return Following(
        before=incumbent,
        at_end=calls.incumbent[phase.end - 1],
        best=min(fixed, key=lambda name: phase.median(fixed[name])),
        tried_after=first_other(calls.ran, phase, incumbent),
        changed_after=first_other(calls.incumbent, phase, incumbent),
        factor=phase.median(own) / before.median(own) if own else None,
        over_best=last.median(auto) / min(last.median(times) for times in fixed.values()),
    )
