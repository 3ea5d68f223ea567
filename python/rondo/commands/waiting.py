"""What commands say of long simulations: how long they take, and how far they are."""

import functools
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Callable, Optional

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from rondo import simulate
from rondo.commands.say import errors, warn
from rondo.model import typical_cluster

LONG_SECONDS = 3  # a command that takes longer says so
_QUICK_VISITS = 3e7  # fewer are over before their time would be worth a measurement

Told = Callable[[float], None]


def announce(effort: float, hints: Sequence[str]) -> None:
    """Before simulations of that effort, say how long they will take if that is long, and why."""
    if effort < _QUICK_VISITS:
        return
    seconds = effort * _seconds_per_visit()
    if seconds < LONG_SECONDS:
        return
    warn(f"this takes about {duration(seconds)}; Ctrl-C keeps the rows that are finished")
    for hint in hints:
        warn(hint)


@functools.cache
def _seconds_per_visit() -> float:
    """What a short simulation takes on this computer."""
    machine = simulate.simulated_machine(typical_cluster())
    question = ("spread_out", 1024, 64, 64, machine)
    begin = time.perf_counter()
    simulate.simulate(*question)
    return (time.perf_counter() - begin) / simulate.effort(*question)


def duration(seconds: float) -> str:
    """A time in the unit that makes it small, without false precision."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def progress(title: str) -> Iterator[Optional[Told]]:
    """A function that shows the share that is done, on a terminal, until the context ends."""
    if not errors.is_terminal:
        yield None
        return
    columns = (
        *(BarColumn(), TextColumn("{task.percentage:3.0f}%"), TimeRemainingColumn()),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)
