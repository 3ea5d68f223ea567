"""What the samples tell: which algorithms are the fastest, and what `auto` gains."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rondo.bootstrap import interval
from rondo.regions import cover
from rondo.report.state import LEAST_SAMPLES, Case
from rondo.results import AUTO, MPI, Row, full_name, is_disturbed

# By how much two whole runs of the same differ, which no interval of one run shows.
WORTH_TELLING = 1.03
_LONGEST_RUN = 8  # of iterations that are drawn together, because a disturbance lasts


class Ratio(NamedTuple):
    """Of medians, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_more(self) -> bool:
        return self.low > WORTH_TELLING

    @property
    def is_less(self) -> bool:
        return self.high < 1 / WORTH_TELLING


def ratio_of(above: Row, below: Row) -> Ratio:
    """Samples of one iteration stay together: what disturbed one may have disturbed the other."""
    series = (above["samples_us"], below["samples_us"])

    def ratio(places: Iterable[int]) -> float:
        drawn = list(places)
        top, bottom = (statistics.median([one[place] for place in drawn]) for one in series)
        return top / bottom if bottom > 0 else math.inf

    count = len(series[0])
    together = max(1, min(_LONGEST_RUN, count // _LONGEST_RUN))
    return Ratio(ratio(range(count)), *interval(ratio, count, together))


@dataclass(frozen=True)
class Verdict:
    """On one case: the same exchange, by every algorithm."""

    case: Case
    rows: dict[str, Row]  # by algorithm
    tied: list[str]  # the fastest first, then those that are not significantly slower
    gain: Ratio | None  # of auto: the time of the MPI library's call over its own
    best_gain: Ratio | None  # the same of the fastest

    @property
    def samples(self) -> int:
        return int(next(iter(self.rows.values()))["iterations"])

    @property
    def is_told(self) -> bool:
        """Whether there are samples enough to tell algorithms apart, which nothing disturbed."""
        return self.samples >= LEAST_SAMPLES and not self.is_disturbed

    @property
    def is_disturbed(self) -> bool:
        """Whether something disturbed them, as rondo-bench says."""
        return is_disturbed(self.rows.values())

    @property
    def untold(self) -> str:
        """Why nothing is told, if nothing is."""
        return "disturbed" if self.is_disturbed else "few samples"

    @property
    def fastest(self) -> str:
        return self.tied[0]

    def microseconds(self, algorithm: str) -> float:
        return float(self.rows[algorithm]["median_us"])


def judge(case: Case, rows: Sequence[Row]) -> Verdict:
    by_name = {row["algorithm"]: row for row in rows}
    # Rondo's own choice runs one of the others.
    racing = {name: row for name, row in by_name.items() if name != AUTO}
    ranking = sorted(racing, key=lambda name: racing[name]["median_us"])
    best = racing[ranking[0]]
    tied = [name for name in ranking[1:] if _may_be_as_fast(racing[name], best)]
    gains = [_gain(by_name, name) for name in (AUTO, ranking[0])]
    return Verdict(case, by_name, [ranking[0], *tied], *gains)


def _may_be_as_fast(row: Row, best: Row) -> bool:
    """The interval of the ratio is costly, and not needed where those of the medians are far."""
    if row["low_us"] > 2 * best["high_us"]:
        return False
    return ratio_of(row, best).low <= WORTH_TELLING


def _gain(rows: dict[str, Row], name: str) -> Ratio | None:
    if name not in rows or MPI not in rows:
        return None
    return Ratio(1, 1, 1) if name == MPI else ratio_of(rows[MPI], rows[name])


def runs_of_auto(verdict: Verdict) -> str:
    """What it ran there, with the values of its parameters."""
    return verdict.rows[AUTO]["parameters"] or full_name(verdict.rows[AUTO])


def regions(verdicts: Sequence[Verdict]) -> dict[Case, str]:
    """For each case one of its fastest, of as few algorithms as will do."""
    told = {one.case: one for one in verdicts if one.is_told}

    def excess(name: str, case: Case) -> float:
        verdict = told[case]
        return math.log(verdict.microseconds(name) / verdict.microseconds(verdict.fastest))

    return cover({case: one.tied for case, one in told.items()}, excess)
