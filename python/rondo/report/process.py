"""Running a command whose lines are read while it runs, for a limited time."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, NamedTuple, Optional

_TICK_SECONDS = 0.1
_GRACE_SECONDS = 10  # for a launcher, to end its ranks
_KEPT_LINES = 20

_Lines = queue.Queue[tuple[bool, Optional[str]]]


class CannotStart(ValueError):
    """The text says what cannot be started, and why."""


class Ended(NamedTuple):
    status: int
    was_stopped: bool  # because its time was over
    said: list[str]  # its last lines that nobody took

    @property
    def is_failure(self) -> bool:
        return self.status != 0 and not self.was_stopped

    @property
    def how(self) -> str:
        """As in `this ended with status 1`."""
        if self.status >= 0:
            return f"status {self.status}"
        return f"signal {-self.status} ({signal.strsignal(-self.status)})"


class Watch(NamedTuple):
    """What is done while a command runs."""

    take: Callable[[str], bool]  # a line of its output; False if it is not what was expected
    tick: Callable[[], None]  # some times a second


def run(
    command: Sequence[str], seconds: float, watch: Watch, variables: Mapping[str, str]
) -> Ended:
    """Run `command` for at most `seconds`, with more environment variables."""
    try:
        running = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **variables},
        )
    except OSError as error:
        raise CannotStart(f"cannot start {command[0]}: {error.strerror}") from error
    said: deque[str] = deque(maxlen=_KEPT_LINES)
    try:
        was_stopped = not _follow(running, time.monotonic() + seconds, watch, said)
    finally:
        status = _end(running)
    return Ended(status, was_stopped, list(said))


def _follow(running: subprocess.Popen[str], end: float, watch: Watch, said: deque[str]) -> bool:
    """Reads to the end of the command; False if it still runs at the time `end`."""
    lines: _Lines = queue.Queue()
    streams = [(True, running.stdout), (False, running.stderr)]
    for is_output, stream in streams:
        threading.Thread(target=_read, args=(is_output, stream, lines), daemon=True).start()
    open_streams = len(streams)
    while open_streams:
        watch.tick()
        if time.monotonic() >= end:
            return False
        with contextlib.suppress(queue.Empty):
            is_output, line = lines.get(timeout=_TICK_SECONDS)
            if line is None:
                open_streams -= 1
            elif not (is_output and watch.take(line)) and line.strip():
                said.append(line.rstrip("\n"))
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(max(end - time.monotonic(), 0))
    return running.returncode is not None


def _read(is_output: bool, stream: IO[str], lines: _Lines) -> None:
    for line in stream:
        lines.put((is_output, line))
    lines.put((is_output, None))


def _end(running: subprocess.Popen[str]) -> int:
    """Ends what still runs; the exit status."""
    if running.poll() is None:
        running.terminate()  # not kill: a launcher ends its ranks first
        try:
            running.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            running.kill()
    return running.wait()
