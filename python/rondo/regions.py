"""Maps of the fastest algorithms, with as few regions as the intervals allow."""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Mapping, Sequence
from typing import Callable, TypeVar

Case = TypeVar("Case", bound=Hashable)


def cover(
    tied: Mapping[Case, Sequence[str]], excess: Callable[[str, Case], float]
) -> dict[Case, str]:
    """Returns one of the fastest algorithms of each case, so that few different ones occur.

    Greedy: the algorithm that is among the fastest in the most cases takes all of them, and so on
    with the remaining cases. Between algorithms of equally many cases, the lower mean of `excess`
    decides: how much slower than the fastest one an algorithm is in a case.
    """
    waiting = dict(tied)
    taken: dict[Case, str] = {}
    while waiting:
        chosen = _foremost(waiting, excess)
        taken.update((case, chosen) for case, names in waiting.items() if chosen in names)
        waiting = {case: names for case, names in waiting.items() if case not in taken}
    return taken


def _foremost(waiting: Mapping[Case, Sequence[str]], excess: Callable[[str, Case], float]) -> str:
    """The algorithm that is among the fastest of the most cases."""
    own: dict[str, list[float]] = {}
    for case, names in waiting.items():
        for name in names:
            own.setdefault(name, []).append(excess(name, case))
    return max(own, key=lambda name: (len(own[name]), -statistics.fmean(own[name])))
