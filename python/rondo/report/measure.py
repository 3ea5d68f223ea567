"""What is measured within a budget: tuning, then all algorithms against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rondo import tuner
from rondo.report.clock import Clock
from rondo.report.launch import Launch, numbers_of_ranks
from rondo.report.process import Ended, Watch
from rondo.report.race import Race, Runs
from rondo.report.start import BudgetTooSmall, Voice, launch_failed, require_ranks, started
from rondo.report.state import LEAST_SAMPLES, State
from rondo.report.topology import Topology

COLLECTIVES = ("alltoall", "alltoallv")
LOOK_SAMPLES = 3  # of the first look, by which the rest of the time is divided
_MOST_SAMPLES = 100
_TUNE_SHARE = 0.3
_RACE_SHARE = 0.5  # of the budget, which tuning leaves even if rondo-tune overruns its own
_LOOK_SHARE = 0.5  # of what tuning leaves
_LEAST_TUNE_SECONDS = 1.0  # that rondo-tune takes as its budget
_LAST_SHARE = 0.15  # for judging, predicting and writing
_JUDGE_SHARE = 0.1
_JUDGED_SECONDS = 3.5e-3  # of judging a sample of each algorithm of a case: its resamples
_OVERHEAD = 2.5  # of a sample, over the time that it tells: the barrier, and preparing
_USUAL_START_SECONDS = 2.0
_SHORTEST_SECONDS = 0.5  # in which ranks start and measure anything


class Plan(NamedTuple):
    launch: Launch
    topology: Topology
    bench: Path
    tune: Path
    has_environment: bool = True  # whether variables reach the ranks

    @property
    def numbers(self) -> list[int]:
        """Of ranks, the most first."""
        ranks = self.topology.ranks
        return [ranks] if self.launch.rank_count is None else numbers_of_ranks(ranks)

    @property
    def races(self) -> list[Race]:
        return [Race(name, ranks) for ranks in self.numbers for name in COLLECTIVES]


class Measuring:
    """Carries out a plan as far as the budget goes; what it has measured is in the state."""

    def __init__(self, plan: Plan, state: State, clock: Clock, voice: Voice) -> None:
        self._plan = plan
        self._state = state
        self._clock = clock
        self._voice = voice
        self._start_seconds: dict[Race, float] = {}

    def run(self) -> None:
        """Raises LaunchFailed, BudgetTooSmall and CannotKeep."""
        # What the last one finds of the machine stays: that of all ranks.
        for ranks in reversed(self._plan.numbers):
            if ranks not in self._state.tuned:
                self._tune(ranks)
        self._look(_LOOK_SHARE)
        if not self._state.cases:
            raise BudgetTooSmall(
                f"the budget of {self._clock.budget:.0f} s was over before any algorithm was "
                "measured: give a larger --budget; the same command goes on from here"
            )
        self._sample()
        self._look(1)

    @property
    def _left(self) -> float:
        return self._clock.left - _LAST_SHARE * self._clock.budget

    def _keep(self) -> None:
        self._state.spent_seconds = self._clock.spent
        self._state.write()

    def _note(self, what: str, why: str) -> None:
        self._state.failures[what] = why
        self._keep()

    def _tune(self, ranks: int) -> None:
        waiting = [number for number in self._plan.numbers if number not in self._state.tuned]
        share = _TUNE_SHARE * self._clock.budget - sum(self._state.tuned.values())
        most = self._clock.left - _RACE_SHARE * self._clock.budget
        seconds = min(share, most) / len(waiting)
        what = f"tuning, {ranks} ranks"
        if seconds < _LEAST_TUNE_SECONDS:
            self._note(what, "the budget was over")
            return
        self._state.failures.pop(what, None)
        options = ["--budget", f"{seconds:.1f}", "--output", self._state.profile_path, "--progress"]
        command = self._plan.launch.command(ranks, self._plan.tune, *options)
        written: list[dict[str, Any]] = []

        def take(line: str) -> bool:
            message = tuner.message_in(line)
            if message is None:
                return False
            if "written" in message:
                require_ranks(ranks, message["layout"]["ranks"])
                written.append(message)
            else:
                self._voice.doing(f"{what}: {message['doing']}")
            return True

        self._voice.doing(what)
        limit = min(2 * seconds + 5, most)
        ended = started(command, limit, Watch(take, self._voice.tick), {})
        if written:
            self._state.tuned[ranks] = seconds
            self._keep()
        else:
            self._failed(ranks, what, command, ended)

    def _failed(self, ranks: int, what: str, command: list[str], ended: Ended) -> None:
        """All ranks must be able to do something; what else fails is left out."""
        if ended.was_stopped:
            self._note(what, "it was not done in its part of the budget")
        elif ranks == self._plan.numbers[0] and not self._state.cases:
            raise launch_failed(self._plan.launch, command, ended)
        else:
            said = f": {ended.said[-1]}" if ended.said else ""
            self._note(what, f"it ended with {ended.how}{said}")

    def _look(self, share: float) -> None:
        """A few samples of what has none, in a share of the time that is left.

        They tell what more of them cost.
        """
        rest = (1 - share) * self._left
        waiting = [race for race in self._plan.races if self._sizes(race, 1)]
        for number, race in enumerate(waiting):
            seconds = (self._left - rest) / (len(waiting) - number)
            self._race(race, LOOK_SAMPLES, self._sizes(race, 1), seconds)

    def _sample(self) -> None:
        """As many samples of what was looked at as the rest of the budget has room for."""
        races = self._plan.races
        for number, race in enumerate(races):
            samples = self._samples_for(races[number:])
            sizes = self._looked_at(race, samples)
            if sizes and samples > LOOK_SAMPLES:
                seconds = self._start_of(race) + samples * self._sample_seconds(race, sizes)
                # Medians say too little where other programs disturb; what is not used is left.
                fair = self._left / (len(races) - number)
                self._race(race, samples, sizes, min(max(2 * seconds, fair), self._left))

    def _samples_for(self, races: list[Race]) -> int:
        """Of each algorithm; 0 where there is nothing to do or no time to start ranks."""
        cases = sum(len(race.sizes) for race in self._plan.races)
        judging = _JUDGE_SHARE * self._clock.budget / (cases * _JUDGED_SECONDS)
        most = max(min(int(judging), _MOST_SAMPLES), LEAST_SAMPLES)
        sizes = {race: self._looked_at(race, most) for race in races}
        starts = sum(self._start_of(race) for race in races if sizes[race])
        cost = sum(self._sample_seconds(race, sizes[race]) for race in races)
        if cost <= 0 or self._left <= self._start_of(races[0]):
            return 0
        return max(min(int((self._left - starts) / cost), most), LEAST_SAMPLES)

    def _sizes(self, race: Race, samples: int) -> list[int]:
        """Of which there are fewer samples."""
        return [size for size in race.sizes if self._state.samples(race.case(size)) < samples]

    def _looked_at(self, race: Race, samples: int) -> list[int]:
        """Sizes that were measured with less than half of `samples`."""
        few = self._sizes(race, max(samples // 2, LEAST_SAMPLES))
        return [size for size in few if self._state.samples(race.case(size)) > 0]

    def _start_of(self, race: Race) -> float:
        return self._start_seconds.get(race, _USUAL_START_SECONDS)

    def _sample_seconds(self, race: Race, sizes: list[int]) -> float:
        """Of one sample of every algorithm at each size, by what was measured."""
        measured = [self._state.cases.get(race.case(size), []) for size in sizes]
        microseconds = sum(float(row["median_us"]) for rows in measured for row in rows)
        return 1e-6 * _OVERHEAD * microseconds

    def _race(self, race: Race, samples: int, sizes: list[int], seconds: float) -> None:
        if seconds < _SHORTEST_SECONDS:
            return
        self._state.failures.pop(race.title, None)
        begin = self._clock.spent
        program: list[object] = [self._plan.bench, *race.options(samples, sizes)]
        profile = self._state.profile_path
        variables = {"RONDO_PROFILE": str(profile)} if profile.exists() else {}
        if not self._plan.has_environment:
            program = ["env", *(f"{name}={value}" for name, value in variables.items()), *program]
        runs = Runs(race, self._state, self._voice, self._keep)
        command = self._plan.launch.command(race.ranks, *program)
        ended = started(command, seconds, Watch(runs.take, self._voice.tick), variables)
        if ended.is_failure:
            self._failed(race.ranks, race.title, command, ended)
        elif not ended.was_stopped:
            runs.complete()
            took = self._clock.spent - begin
            known = (samples + 1) * self._sample_seconds(race, sizes)
            self._start_seconds.setdefault(race, max(took - known, 0))
        self._keep()
