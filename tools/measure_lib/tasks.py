"""Tasks: what is measured in one go, and how the budget is divided among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from measure_lib.store import Store
from rondo.report.clock import Clock
from rondo.report.start import Voice

BUDGET_OVER = "the budget was over"


class NotMeasured(Exception):
    """The text says why."""


class Task(NamedTuple):
    title: str  # by which its result is kept
    least_seconds: float
    measure: Callable[[float], Any]  # the time for it, in seconds; returns the result, for JSON


class Part(NamedTuple):
    name: str
    share: float  # of the time, over the shares of the other parts
    tasks: Sequence[Task]


def carry_out(parts: Sequence[Part], store: Store, clock: Clock, voice: Voice) -> None:
    """What a part does not use is left to those behind it."""
    for number, part in enumerate(parts):
        share = part.share / sum(one.share for one in parts[number:])
        _carry_out(part, clock.spent + share * max(clock.left, 0), store, clock, voice)


def _carry_out(part: Part, end: float, store: Store, clock: Clock, voice: Voice) -> None:
    waiting = [task for task in part.tasks if task.title not in store.results]
    for number, task in enumerate(waiting):
        left = end - clock.spent
        seconds = max(left / (len(waiting) - number), task.least_seconds)
        if seconds > left:
            store.leave_out(task.title, BUDGET_OVER)
            continue
        voice.doing(task.title)
        try:
            store.add(task.title, task.measure(seconds))
        except NotMeasured as why:
            store.leave_out(task.title, str(why))
