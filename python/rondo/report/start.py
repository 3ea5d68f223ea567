"""Starting ranks: what can go wrong, and where they are."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from rondo import mpi_library
from rondo.report import probe
from rondo.report.clock import Clock
from rondo.report.launch import Launch
from rondo.report.process import CannotStart, Ended, Watch, run
from rondo.report.topology import Topology, seen_in, topology_of

_MARK = "a variable that ranks may see"
_PROBE_SHARE = 0.25  # of the budget, at most: starting ranks can take long


class Voice(Protocol):
    """Where it is told how far the measuring is."""

    def doing(self, what: str) -> None: ...

    def tick(self) -> None: ...


class LaunchFailed(ValueError):
    """Ranks cannot be started; the text says what failed and what to do."""

    def __init__(self, text: str, said: Sequence[str]) -> None:
        super().__init__(text)
        self.said = said


class BudgetTooSmall(ValueError):
    """Nothing, or next to nothing, could be measured; the text says what to do."""


class Found(NamedTuple):
    """What ranks say of themselves."""

    topology: Topology
    has_environment: bool  # whether variables reach them; some launchers pass none on


def find_ranks(launch: Launch, clock: Clock, voice: Voice) -> Found:
    """Asks every rank for its node. Raises LaunchFailed or BudgetTooSmall."""
    seen: list[dict[str, Any]] = []

    def take(line: str) -> bool:
        said = seen_in(line)
        if said is not None:
            seen.append(said)
        return said is not None

    voice.doing("starting ranks")
    # Isolated, or modules of this folder would take the place of the standard library's.
    command = [*launch.words, sys.executable, "-I", probe.__file__]
    seconds = _PROBE_SHARE * clock.budget
    ended = started(command, seconds, Watch(take, voice.tick), {"RONDO_PROFILE": _MARK})
    if ended.was_stopped:
        raise BudgetTooSmall(
            f"ranks had not started and ended within {seconds:.0f} s, a quarter of the budget: see "
            f"that `{shlex.join([*launch.words, 'hostname'])}` ends, or give a larger --budget"
        )
    if ended.is_failure:
        raise launch_failed(launch, command, ended)
    if not seen:
        raise LaunchFailed(
            "no rank has said anything: is this a launcher with its options? "
            + shlex.join(command),
            ended.said,
        )
    return Found(topology_of(seen), all(one["variable"] == _MARK for one in seen))


def started(
    command: Sequence[str], seconds: float, watch: Watch, variables: dict[str, str]
) -> Ended:
    """`run`, whose errors are those of launching."""
    try:
        return run(command, seconds, watch, variables)
    except CannotStart as error:
        raise LaunchFailed(f"{error}; is it on PATH here?", []) from error


def launch_failed(launch: Launch, command: Sequence[str], ended: Ended) -> LaunchFailed:
    return LaunchFailed(
        f"this ended with {ended.how}: {shlex.join(command)}; what it said stands above. See "
        f"whether ranks start at all: {shlex.join([*launch.words, 'hostname'])}",
        ended.said,
    )


def require_ranks(wanted: int, seen: int) -> None:
    """Raises LaunchFailed where a program sees other ranks than the launcher started."""
    if seen != wanted:
        built_for = ", ".join(mpi_library.families()) or "unknown"
        raise LaunchFailed(
            f"{wanted} ranks were to be started, but Rondo's programs see {seen}: take a launcher "
            f"of the MPI library that they were built with ({built_for})",
            [],
        )
