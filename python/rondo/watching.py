"""Runs a command whose ranks say for whom they wait, and says for whom all of them do.

The ranks print blocks on standard error (src/watch/scene.cpp). They are passed on, and what they
say together comes after them.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Callable

PREFIX = "rondo: watch: "
_HEADER = re.compile(
    r"rank (\d+) \(process (\d+) on (.+)\) has waited for .* in exchange (\d+) on (.*)$"
)
_MEMBERS = re.compile(r"  communicator: \d+ ranks, (.*)$")
_RANKS = re.compile(
    r"  (waiting here|have passed it|on other nodes|not known to this rank): ranks? ([\d,-]+)"
)
_MISSING = re.compile(r"  missing: rank (\d+) \(rank (-?\d+) of the job, process (\d+)\): (.*)$")
_EXCHANGE = re.compile(r"  exchange: ([^;]*)")
# What a missing rank says that waits itself.
_WAITS = ("in exchange", "in this exchange", "calls")
_MOST_NAMED = 8  # in a line of its own


@dataclass(frozen=True)
class Missing:
    """A rank of the job for which others wait."""

    rank: int
    process: str
    reason: str


@dataclass
class Group:
    """What all blocks on one exchange say; ranks are those of its communicator."""

    where: str  # the exchange and its communicator
    exchange: str = ""
    waiting: set[int] = field(default_factory=set)
    elsewhere: set[int] = field(default_factory=set)  # on other nodes than some block's
    unknown: set[int] = field(default_factory=set)  # to the rank of some block
    named: set[int] = field(default_factory=set)  # of which some block says where they are
    missing: dict[int, Missing] = field(default_factory=dict)


@dataclass
class _Block:
    """What its first line says."""

    node: str
    communicator: str
    number: str
    group: Group | None = None  # once its second line has come


class Summary:
    """What the blocks say together.

    Those on one exchange may come at different times, since the ranks of a node may have come there
    later than others. Launchers that mix the lines of several ranks may mark them by a prefix.
    """

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], Group] = {}
        self._new: list[Group] = []  # those with blocks that no summary includes
        self._last: _Block | None = None
        self._by_prefix: dict[str, _Block] = {}

    def take(self, line: str) -> bool:
        """Read a line of standard error; whether it belongs to a block."""
        prefix, found, text = line.rstrip("\n").rpartition(PREFIX)
        if not found:
            return False
        if header := _HEADER.match(text):
            self._last = self._by_prefix[prefix] = _Block(header[3], header[5], header[4])
        elif block := self._by_prefix.get(prefix, self._last) if prefix else self._last:
            self._take_detail(block, text)
        return True

    def _take_detail(self, block: _Block, text: str) -> None:
        if members := _MEMBERS.match(text):
            block.group = self._group_of(block, members[1])
        group = block.group
        if group is None:
            return
        if ranks := _RANKS.match(text):
            of_line = set(_ranks_in(ranks[2]))
            if ranks[1] == "on other nodes":
                group.elsewhere |= of_line
            elif ranks[1] == "not known to this rank":
                group.unknown |= of_line
            else:
                group.named |= of_line
                for rank in of_line & group.missing.keys():
                    del group.missing[rank]
            if ranks[1] == "waiting here":
                group.waiting |= of_line
        elif missing := _MISSING.match(text):
            rank = int(missing[1])
            process = f"process {missing[3]} on {block.node}"
            group.named.add(rank)
            group.waiting.discard(rank)
            group.missing[rank] = Missing(int(missing[2]), process, missing[4])
        elif exchange := _EXCHANGE.match(text):
            group.exchange = exchange[1]

    def _group_of(self, block: _Block, members: str) -> Group:
        """Communicators of other ranks may have the same name."""
        where = f"in exchange {block.number} on {block.communicator}"
        if not members.startswith("all of the job"):
            where += f" ({members})"
        key = (block.communicator, block.number, members)
        group = self._groups.setdefault(key, Group(where))
        if group not in self._new:
            self._new.append(group)
        return group

    def lines(self) -> list[str]:
        """The summary of the exchanges on which blocks have come since the last one."""
        if not self._new:
            return []
        lines = ["summary"]
        missing: dict[int, Missing] = {}
        for group in self._new:
            waiting = _plural("rank", "waits", "wait", group.waiting)
            lines.append(f"  {waiting} {group.where}: {group.exchange}")
            missing.update({one.rank: one for one in group.missing.values()})
            if silent := group.elsewhere - group.named:
                says = _plural("rank", "has", "have", silent)
                lines.append(
                    f"  {says} not come there, or came late: no rank of the same node has "
                    "printed a block"
                )
            if silent := group.unknown - group.named - group.elsewhere:
                says = _plural("rank", "has", "have", silent)
                lines.append(f"  {says} not come there, or came late")
        self._new = []
        roots = [one for one in missing.values() if not one.reason.startswith(_WAITS)]
        lines += [f"  all wait for {who}" for who in _named(roots)]
        if not roots:
            lines += [f"  others wait for {who}" for who in _named([*missing.values()])]
        return [PREFIX + line for line in lines]


def _named(missing: list[Missing]) -> Iterable[str]:
    """Name each of a few that have the same reason."""
    by_reason: dict[str, list[Missing]] = {}
    for one in missing:
        by_reason.setdefault(one.reason, []).append(one)
    for reason, those in by_reason.items():
        if len(those) > _MOST_NAMED:
            yield f"ranks {_text_of({one.rank for one in those})} of the job: {reason}"
        else:
            for one in those:
                yield f"rank {one.rank} of the job ({one.process}): {reason}"


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
    MOST_BYTES = 65536  # a longer line belongs to no block

    def __init__(self, stream: IO[bytes], write: Callable[[bytes], object]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._write = write
        self._lock = threading.Lock()
        self._summary = Summary()
        self._last = 0.0

    def run(self) -> None:
        line = b""
        with self._stream:
            while part := self._stream.read(self.MOST_BYTES):
                with self._lock:
                    self._pass_on(part)
                    *lines, line = re.split(rb"[\r\n]", line + part)
                    line = line[-self.MOST_BYTES :]
                    self._take(lines)

    def _take(self, lines: Iterable[bytes]) -> None:
        # All of them, so that none is left out.
        if any([self._summary.take(line.decode(errors="replace")) for line in lines]):
            self._last = time.monotonic()

    def _pass_on(self, part: bytes) -> None:
        """Nobody may read what comes, as behind `| head`. The job goes on."""
        try:
            self._write(part)
        except OSError:
            self._write = lambda _: None

    def summarize(self, at_once: bool = False) -> None:
        """Print what there is to say, if the blocks are complete."""
        with self._lock:
            if not at_once and time.monotonic() - self._last < self.QUIET_SECONDS:
                return
            self._pass_on("".join(f"{line}\n" for line in self._summary.lines()).encode())


def write_error(part: bytes) -> None:
    """Write to standard error, where nothing is held back."""
    while part:
        part = part[os.write(sys.stderr.fileno(), part) :]


def run(command: Sequence[str], write: Callable[[bytes], object] = write_error) -> int:
    """Run a command and return its status. Signals for the ranks are passed on to it.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    process = subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0)
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves SIGHUP
            signal.signal(number, lambda given, _frame: process.send_signal(given))
    # A terminal sends it to the launcher, too, which ends the job.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert process.stderr is not None
    reader = _Reader(process.stderr, write)
    reader.start()
    while process.poll() is None:
        time.sleep(0.2)
        reader.summarize()
    reader.join(timeout=2)  # what the command has left behind may keep the stream open
    reader.summarize(at_once=True)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
