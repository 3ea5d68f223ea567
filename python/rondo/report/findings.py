"""What a report tells: everything that was measured, judged and predicted."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from rondo import profiles
from rondo.report.clock import Clock
from rondo.report.judge import Verdict, judge, regions
from rondo.report.marks import Mark, marks_of
from rondo.report.measure import Plan
from rondo.report.predict import Comparison, compare
from rondo.report.race import Race
from rondo.report.start import Voice
from rondo.report.state import LEAST_SAMPLES, Case, State
from rondo.report.words import size_text
from rondo.results import Row
from rondo.select import Band, Decisions, Profile

_PREDICT_SHARE = 0.02  # of the budget, for each method


@dataclass(frozen=True)
class Findings:
    plan: Plan
    verdicts: dict[Race, list[Verdict]]  # by S, ascending
    taken: dict[Case, str]  # by the region map
    marks: dict[str, Mark]
    profile: Profile | None
    comparisons: list[Comparison]
    left_out: list[str]  # sentences
    spent_seconds: float
    date: datetime.date

    @property
    def command(self) -> str:
        return shlex.join(self.plan.launch.words)

    @property
    def all(self) -> list[Verdict]:
        return [verdict for verdicts in self.verdicts.values() for verdict in verdicts]

    @property
    def origin(self) -> Row:
        """A row, for what all rows say of the libraries."""
        return next(iter(self.all[0].rows.values()))

    def nodes(self, ranks: int) -> int | None:
        """As Rondo sees them: groups of ranks that share memory. None if nothing was measured."""
        rows = (row for one in self.all if one.case.ranks == ranks for row in one.rows.values())
        return next((row["nodes"] for row in rows), None)

    def bands(self, race: Race) -> list[Band]:
        """What `auto` runs by the profile; none where nobody knows the sizes of the nodes."""
        nodes = self.nodes(race.ranks) or 1
        sizes = [race.ranks // nodes] * nodes
        if sum(sizes) != race.ranks:
            sizes = [node.ranks for node in self.plan.topology.nodes]
        if self.profile is None or sum(sizes) != race.ranks or len(sizes) != nodes:
            return []
        return Decisions(sizes, self.profile).of(race.collective)


def find(plan: Plan, state: State, clock: Clock, voice: Voice) -> Findings:
    """Judges and predicts."""
    verdicts: dict[Race, list[Verdict]] = {}
    for race in plan.races:
        voice.doing(f"judging {race.title}")
        cases = [race.case(size) for size in race.sizes]
        judged = [judge(case, state.cases[case]) for case in cases if case in state.cases]
        if judged:
            verdicts[race] = judged
    every = [verdict for judged in verdicts.values() for verdict in judged]
    profile = _profile_of(state)
    taken = regions(every)
    voice.doing("predicting")
    comparisons, why_not = _comparisons(every, profile, clock)
    return Findings(
        plan=plan,
        verdicts=verdicts,
        taken=taken,
        marks=marks_of(taken.values()),
        profile=profile,
        comparisons=comparisons,
        left_out=[*_left_out(plan, state), *why_not],
        spent_seconds=clock.spent,
        date=datetime.datetime.now(datetime.timezone.utc).date(),
    )


def _profile_of(state: State) -> Profile | None:
    """None where there is none that can be read: rank 0 may have written it on another machine."""
    try:
        return profiles.read(state.profile_path)
    except (OSError, ValueError):
        return None


def _comparisons(
    verdicts: list[Verdict], profile: Profile | None, clock: Clock
) -> tuple[list[Comparison], list[str]]:
    """The predictions, and why there are none, or not all."""
    if profile is None:
        return [], [
            "Predictions, and what auto will run: there is no profile here. Either tuning was left "
            "out, or rank 0 runs on a machine that does not share its files with this one."
        ]
    try:
        made = compare(verdicts, profile.machine, _PREDICT_SHARE * clock.budget)
    except ValueError as error:
        return [], [f"Predictions: {error}."]
    missing = [
        f"Predictions by {one.method}: of {one.left_out} cases, the budget was over."
        for one in made
        if one.left_out
    ]
    return [one for one in made if one.pairs], missing


def _left_out(plan: Plan, state: State) -> Iterator[str]:
    if plan.launch.rank_count is None:
        yield (
            "Other numbers of ranks: the launch command does not say in one place how many ranks "
            f"it starts. Rondo measured {plan.topology.ranks}."
        )
    for what, why in state.failures.items():
        yield f"{_capital(what)}: {why}."
    for race in plan.races:
        yield from _left_out_of(race, state)


def _left_out_of(race: Race, state: State) -> Iterator[str]:
    samples = {size: state.samples(race.case(size)) for size in race.sizes}
    missing = [size for size in race.sizes if samples[size] == 0]
    few = [size for size in race.sizes if 0 < samples[size] < LEAST_SAMPLES]
    title = _capital(race.title)
    if race.sizes_left_out:
        yield f"{title}, S = {_listed(race.sizes_left_out)}: the buffers would be too long."
    if missing:
        yield f"{title}, S = {_listed(missing)}: the budget was over."
    if few:
        yield (
            f"{title}, S = {_listed(few)}: the budget was over after {samples[few[0]]} samples, "
            "too few to compare algorithms."
        )


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(size_text, sizes))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
