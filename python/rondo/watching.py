"""Runs a command whose ranks say for whom they wait, and says for whom all of them do.

The ranks print blocks on standard error (src/watch/scene.cpp). They are passed on, and what they
say together comes after them.
"""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Callable

PREFIX = "rondo: watch: "
_HEADER = re.compile(
    r"rank (\d+) \(process (\d+) on (.+)\) has waited for .* in exchange (\d+) on (.*)$"
)
_RANKS = re.compile(
    r"  (waiting here|have passed it|on other nodes|not known to this rank): ranks? ([\d,-]+)"
)
_MISSING = re.compile(r"  missing: rank (\d+) \(rank (-?\d+) of the job, process (\d+)\): (.*)$")
_EXCHANGE = re.compile(r"  exchange: ([^;]*)")
# What a missing rank says that waits itself.
_WAITS = ("in exchange", "in this exchange", "calls")


@dataclass
class Group:
    """What the blocks on one exchange say; ranks are those of its communicator."""

    exchange: str = ""
    waiting: set[int] = field(default_factory=set)
    unseen: set[int] = field(default_factory=set)  # of which some block says nothing
    named: set[int] = field(default_factory=set)  # of which some block says where they are
    missing: dict[str, str] = field(default_factory=dict)  # what is said of a rank of the job


class Summary:
    """What the blocks say together."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], Group] = {}
        self._node = ""
        self._group: Group | None = None

    def take(self, line: str) -> bool:
        """Read a line of standard error; whether it belongs to a block."""
        text = line.rstrip("\n").partition(PREFIX)[2]
        if not text:
            return False
        if header := _HEADER.match(text):
            self._node = header[3]
            self._group = self._groups.setdefault((header[5], header[4]), Group())
        elif self._group is not None:
            self._take_detail(self._group, text)
        return True

    def _take_detail(self, group: Group, text: str) -> None:
        if ranks := _RANKS.match(text):
            of_line = set(_ranks_in(ranks[2]))
            if ranks[1] in ("on other nodes", "not known to this rank"):
                group.unseen |= of_line
            else:
                group.named |= of_line
            if ranks[1] == "waiting here":
                group.waiting |= of_line
        elif missing := _MISSING.match(text):
            group.named.add(int(missing[1]))
            who = f"rank {missing[2]} of the job (process {missing[3]} on {self._node})"
            group.missing[who] = missing[4]
        elif exchange := _EXCHANGE.match(text):
            group.exchange = exchange[1]

    def lines(self) -> list[str]:
        """The summary; empty if there was no block."""
        if not self._groups:
            return []
        lines = ["summary"]
        missing: dict[str, str] = {}
        for (communicator, number), group in self._groups.items():
            waiting = _plural("rank", "waits", "wait", group.waiting)
            lines.append(f"  {waiting} in exchange {number} on {communicator}: {group.exchange}")
            missing.update(group.missing)
            if silent := group.unseen - group.named:
                says = _plural("rank", "has", "have", silent)
                lines.append(f"  {says} not come there, and no rank of the same node has, either")
        roots = {who: what for who, what in missing.items() if not what.startswith(_WAITS)}
        lines += [f"  all wait for {who}: {what}" for who, what in roots.items()]
        if not roots and missing:
            lines += [f"  others wait for {who}: {what}" for who, what in missing.items()]
        return [PREFIX + line for line in lines]


def _ranks_in(text: str) -> Iterable[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _plural(noun: str, one: str, several: str, ranks: set[int]) -> str:
    is_one = len(ranks) == 1
    return f"{noun}{'' if is_one else 's'} {_text_of(ranks)} {one if is_one else several}"


def _text_of(ranks: set[int]) -> str:
    """As in 0-2,5."""
    parts: list[list[int]] = []
    for rank in sorted(ranks):
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


class _Reader(threading.Thread):
    """Passes standard error on, and prints a summary when blocks have come and no more do."""

    QUIET_SECONDS = 1.5  # ranks of a job print their blocks within this time

    def __init__(self, stream: Iterable[str], write: Callable[[str], object]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._write = write
        self._lock = threading.Lock()
        self._summary = Summary()
        self._last = 0.0

    def run(self) -> None:
        for line in self._stream:
            with self._lock:
                self._write(line)
                if self._summary.take(line):
                    self._last = time.monotonic()

    def summarize(self, at_once: bool = False) -> None:
        """Print what there is to say, if the blocks are complete."""
        with self._lock:
            if not at_once and time.monotonic() - self._last < self.QUIET_SECONDS:
                return
            lines, self._summary = self._summary.lines(), Summary()
            self._write("".join(f"{line}\n" for line in lines))


def run(command: Sequence[str], write: Callable[[str], object]) -> int:
    """Run a command and return its status. Signals for the ranks are passed on to it.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, errors="replace", bufsize=1
    ) as process:
        for number in (signal.SIGUSR1, signal.SIGTERM):
            signal.signal(number, lambda given, _frame: process.send_signal(given))
        # A terminal sends it to the launcher, too, which ends the job.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert process.stderr is not None
        reader = _Reader(process.stderr, write)
        reader.start()
        while process.poll() is None:
            time.sleep(0.2)
            reader.summarize()
        reader.join(timeout=2)
        reader.summarize(at_once=True)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
