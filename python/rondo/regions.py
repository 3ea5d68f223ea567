"""Maps of what is the fastest where: what cannot be told apart is one region."""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Mapping, Sequence
from typing import Callable, TypeVar

Case = TypeVar("Case", bound=Hashable)


def cover(
    tied: Mapping[Case, Sequence[str]], excess: Callable[[str, Case], float]
) -> dict[Case, str]:
    """For each case one of its fastest, of as few algorithms as will do.

    Greedily: the algorithm that is among the fastest of the most cases takes all of these, then the
    next one takes its own of the rest. `excess` is how much slower than the fastest one is there,
    which decides between those of as many cases.
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
