"""What was measured, as Markdown: medians over the runs, with their ranges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from regret_lib.candidates import AUTO, algorithm_of
from text_tables import markdown

from .calls import PARTS, Costs, capped_costs_of, costs_of
from .phases import Following, follow, phases_of
from .runs import Measured, Run

AT_CALLS = (100, 1000, 10000)


def spread(values: Sequence[float], text_of: Callable[[float], str]) -> str:
    """The median and the range: "5 (4-7)"."""
    median, low, high = statistics.median(values), min(values), max(values)
    middle = text_of(median)
    ends = f"{text_of(low)} to {text_of(high)}"
    return middle if len(values) == 1 else f"{middle} ({ends})"


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def whole(value: float) -> str:
    return f"{value:.0f}"


def times_as_long(value: float) -> str:
    return f"{value:.3g}"


def counts(values: Sequence[int | None]) -> str:
    """The spread of those that are there, and how many are not."""
    there = [value for value in values if value is not None]
    if not there:
        return "never"
    missing = len(values) - len(there)
    return spread(there, whole) + (f", in {missing} of {len(values)} runs never" if missing else "")


def run_costs(run: Run, costs: Callable = costs_of) -> Costs:
    return costs(run.calls, run.times(AUTO), run.times(run.best()))


def factor_of(run: Run, first: str) -> float:
    """How much longer the first choice takes than the best."""
    return statistics.median(run.times(first)) / statistics.median(run.times(run.best()))


def names_of(names: Sequence[str]) -> str:
    """Each once, the most frequent first."""
    return ", ".join(sorted(dict.fromkeys(names), key=lambda name: -list(names).count(name)))


def cells_table(measured: Sequence[Measured]) -> str:
    rows = [["cell", "first choice", "times the best", "best", "left after calls"]]
    for cell, _, runs in measured:
        factors = spread([factor_of(run, cell.first) for run in runs], times_as_long)
        best = names_of([run.best() for run in runs])
        left = counts([run.calls.left for run in runs])
        rows.append([cell.title(), cell.first, factors, best, left])
    return markdown(rows)


def regret_table(measured: Sequence[Measured]) -> str:
    rows = [["cell", "calls", "regret, %", "without the start, %", *PARTS, "all time, %"]]
    for cell, _, runs in measured:
        capped = [run_costs(run, capped_costs_of) for run in runs]
        whole_time = [run_costs(run) for run in runs]
        for calls in AT_CALLS:
            if calls > min(len(costs.best) for costs in capped):
                continue
            parts = [
                percent(statistics.median(costs.part(part, calls) for costs in capped))
                for part in PARTS
            ]
            after = spread([costs.regret_after_start(calls) for costs in capped], percent)
            regret = spread([costs.regret(calls) for costs in capped], percent)
            everything = spread([costs.regret(calls) for costs in whole_time], percent)
            rows.append([cell.title(), str(calls), regret, after, *parts, everything])
    return markdown(rows)


def followings(measured: Measured) -> list[tuple[str, list[Following]]]:
    """By move, in each run."""
    moves = ("onto one core", "back")
    found: dict[str, list[Following]] = {move: [] for move in moves}
    for run in measured.runs:
        calls, auto = run.calls, run.times(AUTO)
        phases = phases_of(len(auto), *measured.one_core)
        for move, before, phase in zip(moves, phases, phases[1:]):
            found[move].append(follow(calls, auto, run.fixed(), before, phase))
    return list(found.items())


def drift_table(measured: Sequence[Measured]) -> str:
    heading = ["cell", "move", "before", "times as long", "best then", "at the end"]
    heading += ["tried after calls", "changed after calls", "over the best at the end"]
    rows = [heading]
    for one in measured:
        for move, found in followings(one):
            factors = [each.factor for each in found if each.factor is not None]
            rows.append(
                [
                    one.cell.title(),
                    move,
                    names_of([algorithm_of(each.before) for each in found]),
                    spread(factors, times_as_long) if factors else "-",
                    names_of([algorithm_of(each.best) for each in found]),
                    names_of([algorithm_of(each.at_end) for each in found]),
                    counts([each.tried_after for each in found]),
                    counts([each.changed_after for each in found]),
                    spread([each.over_best for each in found], times_as_long),
                ]
            )
    return markdown(rows)
