"""The budget: how much of it is left."""

from __future__ import annotations

import time


class Clock:
    """The budget, of which earlier runs have spent a part."""

    def __init__(self, budget_seconds: float, spent_seconds: float = 0) -> None:
        self.budget = budget_seconds
        self._start = time.monotonic() - spent_seconds

    @property
    def spent(self) -> float:
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        return self.budget - self.spent

    def add(self, spent_seconds: float) -> None:
        """What was spent before."""
        self._start -= spent_seconds
