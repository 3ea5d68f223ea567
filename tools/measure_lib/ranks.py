"""Running Rondo's programs on ranks, for a limited time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measure_lib.tasks import NotMeasured
from rondo import programs
from rondo.report.measure import Plan
from rondo.report.process import CannotStart, Watch, run
from rondo.report.start import Voice

_LEAST_LIMIT_SECONDS = 2.0  # in which ranks start and end


class Ranks(NamedTuple):
    """The ranks that the launch command starts, and the profile that tuning wrote, if any."""

    plan: Plan
    profile: Path
    voice: Voice

    @property
    def most(self) -> int:
        return self.plan.topology.ranks

    @property
    def numbers(self) -> list[int]:
        """2, 4, 8 ... and all; only all where the launch command does not name their number."""
        if self.plan.launch.rank_count is None:
            return [self.most]
        powers = [2**power for power in range(1, self.most.bit_length())]
        return sorted({*(number for number in powers if number < self.most), self.most})

    @property
    def is_one_node(self) -> bool:
        return len(self.plan.topology.nodes) == 1

    def launcher(self, ranks: int) -> list[str]:
        """The words before a program. Where launchers pass no variables on, `env` does."""
        has_profile = self.profile.exists()
        variables = ["env", f"RONDO_PROFILE={self.profile}"] if has_profile else []
        return self.plan.launch.command(ranks, *variables)

    def lines(self, ranks: int, words: Sequence[object], seconds: float) -> tuple[list[dict], bool]:
        """The lines of JSON that a program prints, and whether it came to its end in time."""
        found: list[dict[str, Any]] = []

        def take(line: str) -> bool:
            try:
                found.append(json.loads(line))
            except ValueError:  # launchers print to the same stream
                return False
            return True

        command = [*self.launcher(ranks), *map(str, words)]
        limit = max(seconds, _LEAST_LIMIT_SECONDS)
        try:
            ended = run(command, limit, Watch(take, self.voice.tick), {})
        except CannotStart as error:
            raise NotMeasured(str(error)) from error
        if ended.is_failure:
            said = f": {ended.said[-1]}" if ended.said else ""
            raise NotMeasured(f"it ended with {ended.how}{said}")
        return found, not ended.was_stopped


def program(name: str, find: Callable[[str], Path] = programs.script) -> Path:
    """The path of a program; NotMeasured where the package has none of that name."""
    try:
        return find(name)
    except LookupError as error:
        raise NotMeasured(str(error)) from error


def cores() -> int:
    return len(os.sched_getaffinity(0))
