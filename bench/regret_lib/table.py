"""The cells of a file and their verdicts, as Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from text_tables import markdown

from .candidates import Cell, Shape
from .verdict import MEDIAN_LIMIT, MPI_LIMIT, WORST_LIMIT, Samples, Verdict, judge


class Place(NamedTuple):
    """Which cell of which run."""

    collective: str
    shape: Shape
    cell: Cell

    def title(self) -> str:
        return f"{self.collective}, {self.shape.title()}, {self.cell.title()}"


Verdicts = dict[Place, Verdict]


def place_of(row: dict) -> Place:
    shape = Shape(row["ranks"], row["nodes"])
    return Place(row["collective"], shape, Cell(row["distribution"], row["bytes"]))


def samples_of(lines: Iterable[str]) -> dict[Place, Samples]:
    """Read lines of JSON. Other lines, and the records of short runs, are ignored."""
    found: dict[Place, Samples] = {}
    for line in lines:
        row = json.loads(line) if line.startswith("{") else {}
        if "algorithm" not in row:
            continue
        place, name = place_of(row), row["algorithm"]
        samples = found.setdefault(place, {})
        if name in samples:
            raise ValueError(f"{place.title()}: {name} was measured twice; judge one run at a time")
        samples[name] = row["samples_us"]
    return found


def learned_calls(lines: Iterable[str]) -> dict[Place, int]:
    """The calls that `auto` learned from, where the file says so."""
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    return {place_of(row): row["learned_calls"] for row in rows if row.get("learned_calls")}


def judge_all(files: list[Path]) -> Verdicts:
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    verdicts: Verdicts = {}
    for place, samples in samples_of(lines).items():
        try:
            verdicts[place] = judge(samples)
        except ValueError as error:
            raise ValueError(f"{place.title()}: {error}") from error
    if not verdicts:
        raise ValueError("no rows of rondo-bench; `regret.py run` writes them")
    return verdicts


def fails(verdict: Verdict) -> bool:
    return verdict.regret.is_beyond(WORST_LIMIT) or verdict.slowdown.is_beyond(MPI_LIMIT)


def cell_text(verdict: Verdict) -> str:
    """The best is named if it beats `auto` beyond doubt; else it may be what `auto` chose."""
    text = verdict.regret.percent()
    if verdict.regret.is_beyond(0):
        text += f", {verdict.best}"
    return f"**{text}**" if fails(verdict) else text


def slowdown_text(verdict: Verdict) -> str:
    """The time of `auto` over the MPI library's, with its interval."""
    ratio = [1 + bound for bound in verdict.slowdown]
    text = f"{ratio[0]:.2f} ({ratio[1]:.2f}-{ratio[2]:.2f})"
    return f"**{text}**" if verdict.slowdown.is_beyond(MPI_LIMIT) else text


def table_of(
    verdicts: Verdicts, collective: str, text_of: Callable[[Verdict], str] = cell_text
) -> str:
    here = {place: verdict for place, verdict in verdicts.items() if place.collective == collective}
    sizes = sorted({place.cell.bytes for place in here})
    rows = dict.fromkeys((place.shape, place.cell.distribution) for place in here)
    lines = [["ranks, distribution", *(f"S = {size}" for size in sizes)]]
    for shape, distribution in rows:
        there = [here.get(Place(collective, shape, Cell(distribution, size))) for size in sizes]
        cells = [text_of(verdict) if verdict else "-" for verdict in there]
        lines.append([f"{shape.title()}, {distribution}", *cells])
    return markdown(lines)


class Limit(NamedTuple):
    """A sentence about a limit, and whether the limit holds."""

    sentence: str
    holds: bool


def median_limit(verdicts: Verdicts) -> Limit:
    median = statistics.median(verdict.regret.value for verdict in verdicts.values())
    sentence = f"Median regret of {len(verdicts)} cells: {100 * median:.1f} %"
    return Limit(f"{sentence}, limit {100 * MEDIAN_LIMIT:.0f} %", median <= MEDIAN_LIMIT)


def cell_limit(verdicts: Verdicts, what: str, field: str, limit: float) -> Limit:
    """A limit on every cell. A cell breaks it only if its whole interval does."""
    excesses = {place: getattr(verdict, field) for place, verdict in verdicts.items()}
    worst = max(excesses, key=lambda place: excesses[place].value)
    beyond = [
        f"{place.title()}: {excess.title()}"
        for place, excess in excesses.items()
        if excess.is_beyond(limit)
    ]
    sentence = f"{what}: {excesses[worst].title()} at {worst.title()}"
    in_doubt = sum(excess.is_in_doubt(limit) for excess in excesses.values())
    sentence += f"; beyond {100 * limit:.0f} %: {'; '.join(beyond) or 'none'}; in doubt: {in_doubt}"
    return Limit(sentence, not beyond)


def limits(verdicts: Verdicts) -> list[Limit]:
    return [
        median_limit(verdicts),
        cell_limit(verdicts, "Worst regret", "regret", WORST_LIMIT),
        cell_limit(verdicts, "Slowest against the MPI library", "slowdown", MPI_LIMIT),
    ]
