"""What commands say of long simulations: how long they take, and how far they are."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import mean
from typing import Callable, Optional

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rondo.commands.say import errors, warn

LONG_SECONDS = 3  # a command that takes longer says so

Told = Callable[[int], None]


class Rows:
    """The rows of a table, which are simulated one after the other.

    On a terminal it shows how many are finished. Where all take long, it says so once, and why.
    """

    def __init__(self, algorithms: Sequence[str], hints: Sequence[str]):
        self._algorithms = algorithms  # of the rows
        self._hints = hints
        self._seconds: list[float] = []  # of the finished rows
        self._begin = time.monotonic()
        self._is_announced = False

    @contextmanager
    def next(self, title: str) -> Iterator[Told]:
        """While a row is simulated: a function that takes the messages simulated so far."""
        begin = time.monotonic()
        with _bar(len(self._seconds), len(self._algorithms)) as show:

            def told(messages: int) -> None:
                self._announce()
                left = self._seconds_left()
                rest = "" if left is None else f", about {duration(left)} left in all"
                show(f"{title}: {messages:,} messages{rest}")

            yield told
        self._seconds.append(time.monotonic() - begin)

    def _announce(self) -> None:
        seconds = time.monotonic() - self._begin
        if self._is_announced or seconds < LONG_SECONDS:
            return
        self._is_announced = True
        left = self._seconds_left()
        rest = "" if left is None else f"; the unfinished rows may take {duration(left)}"
        warn(
            f"{len(self._seconds)} of {len(self._algorithms)} rows are finished after "
            f"{duration(seconds)}{rest}. Ctrl-C keeps those that are finished"
        )
        for hint in self._hints:
            warn(hint)

    def _seconds_left(self) -> Optional[float]:
        """Rows take as long as one of their algorithm did, or as the finished ones on average."""
        if not self._seconds:
            return None
        known = dict(zip(self._algorithms, self._seconds))
        usual = mean(self._seconds)
        return sum(known.get(name, usual) for name in self._algorithms[len(self._seconds) :])


def duration(seconds: float) -> str:
    """A time in the unit that makes it small, without false precision."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def _bar(finished: int, rows: int) -> Iterator[Callable[[str], None]]:
    """A function that shows a text behind the number of finished rows, on a terminal."""
    if not errors.is_terminal:
        yield lambda text: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    text = TextColumn("{task.description}", markup=False)
    with Progress(*columns, text, console=errors, transient=True) as bar:
        task = bar.add_task("", total=rows, completed=finished)
        yield lambda description: bar.update(task, description=description)
