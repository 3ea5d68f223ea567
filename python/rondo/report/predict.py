"""Predictions beside what was measured: by the model, which `auto` asks, and by the simulation."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rondo import model, simulate
from rondo.model import Machine
from rondo.report.judge import Verdict
from rondo.results import AUTO, MPI, Row, full_name

_DISTRIBUTIONS = {"alltoall": "constant", "alltoallv": "uniform"}
_FACTOR = 2

Predictor = Callable[[Row], float]  # seconds


class Pair(NamedTuple):
    """One algorithm in one case, in microseconds."""

    verdict: Verdict
    algorithm: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """0.5 is half as long again, and -0.5 is half as long."""
        return self.predicted / self.measured - 1

    @property
    def is_near(self) -> bool:
        return 1 / _FACTOR <= self.predicted / self.measured <= _FACTOR


class Comparison(NamedTuple):
    method: str
    pairs: list[Pair]
    left_out: int  # cases, because the time was over

    @property
    def median_error(self) -> float:
        return statistics.median(abs(pair.error) for pair in self.pairs)

    @property
    def near_share(self) -> float:
        return sum(pair.is_near for pair in self.pairs) / len(self.pairs)

    @property
    def ordered(self) -> tuple[int, int]:
        """How many pairs are predicted in order, and of how many that differ significantly."""
        right = told = 0
        for _, group in itertools.groupby(self.pairs, key=lambda pair: pair.verdict.case):
            for one, other in itertools.combinations(group, 2):
                if _are_apart(one, other):
                    told += 1
                    right += (one.measured < other.measured) == (one.predicted < other.predicted)
        return right, told


def _are_apart(one: Pair, other: Pair) -> bool:
    """Whether the 95 % intervals of the medians do not touch."""
    a, b = (pair.verdict.rows[pair.algorithm] for pair in (one, other))
    return bool(a["high_us"] < b["low_us"] or b["high_us"] < a["low_us"])


def compare(verdicts: Sequence[Verdict], machine: Machine, seconds: float) -> list[Comparison]:
    """By each method, within `seconds`; the cases with the most ranks come first."""
    return [
        _compared("model", verdicts, lambda row: _modelled(row, machine), seconds),
        _compared("simulation", verdicts, _simulator(machine), seconds),
    ]


def _compared(
    method: str, verdicts: Sequence[Verdict], predict: Predictor, seconds: float
) -> Comparison:
    end = time.monotonic() + seconds
    pairs: list[Pair] = []
    left_out = 0
    for verdict in verdicts:
        if time.monotonic() > end:
            left_out += 1
            continue
        for name, row in verdict.rows.items():
            if name not in (AUTO, MPI) and row["median_us"] > 0:
                pairs.append(Pair(verdict, name, row["median_us"], 1e6 * predict(row)))
    return Comparison(method, pairs, left_out)


def _modelled(row: Row, machine: Machine) -> float:
    distribution = _DISTRIBUTIONS[row["collective"]]
    contest = model.Contest(
        row["ranks"], _per_node(row), row["collective"], distribution, model.hockney(machine)
    )
    return contest.predict(full_name(row), row["bytes"]).cost.total


def _simulator(machine: Machine) -> Predictor:
    simulated = simulate.simulated_machine(machine)
    return lambda row: (
        simulate.simulate(
            full_name(row),
            row["ranks"],
            _per_node(row),
            row["bytes"],
            simulated,
            collective=row["collective"],
            distribution=row["distribution"],
        ).seconds
    )


def _per_node(row: Row) -> int:
    """ValueError where nodes have not all as many ranks: neither method knows such nodes."""
    if row["ranks"] % row["nodes"]:
        raise ValueError(f"{row['ranks']} ranks are not as many on each of {row['nodes']} nodes")
    return int(row["ranks"] // row["nodes"])
