"""What was measured, as sections of the page."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as Xml

import ab_table
from regret_lib.verdict import Excess

from measure_lib import applications, choosing, limit, speed, whole_programs
from measure_lib.ranks import Ranks
from rondo.report.judge import Ratio
from rondo.report.parts import Cell, code, element, paragraph, section, table
from rondo.report.words import interval_text, ratio_text, size_text, time_text

Results = dict[str, Any]


def sections(ranks: Ranks, results: Results) -> list[Xml.Element]:
    """Those for which there is anything."""
    made = [
        _speed(ranks, results),
        _limit(ranks, results),
        _regret(ranks, results),
        _applications(ranks, results),
        _programs(results),
    ]
    return [one for one in made if one is not None]


def _speed(ranks: Ranks, results: Results) -> Xml.Element | None:
    parts: list[Xml.Element] = []
    ratios: list[Ratio] = []
    for number in ranks.numbers:
        for collective, distribution in speed.EXCHANGES:
            rows = list(_speed_rows(results, (collective, distribution, number), ratios))
            if rows:
                parts.append(element("h3", f"{collective}, {distribution}, P = {number}"))
                parts.append(table(["S", "single calls", f"in batches of {speed.BATCH}"], rows))
    if not ratios:
        return None
    mean = statistics.geometric_mean(ratio.value for ratio in ratios)
    slower = sum(ratio.high < 1 for ratio in ratios)
    note = paragraph(
        "The time of the MPI library's own call over that of ",
        code("auto"),
        ", with its 95\u00a0% interval: above 1, ",
        code("auto"),
        f" is faster. The geometric mean of {len(ratios)} cells is {ratio_text(mean)}; of {slower} "
        "the interval lies wholly below 1.",
        style="quiet",
    )
    return section("Against the MPI library", [note, *parts], "speed")


def _speed_rows(
    results: Results, exchange: tuple[str, str, int], ratios: list[Ratio]
) -> Iterator[list[Cell | str]]:
    """A row for each S; adds what they show to `ratios`."""
    single, batches = (
        {
            size: Ratio(*ratio) if ratio else None
            for sizes in (speed.SHORT, speed.LONG)
            for size, ratio in speed.cells(results, speed.Series(*exchange, sizes, batch)).items()
        }
        for batch in (1, speed.BATCH)
    )
    for size in sorted({*single, *batches}):
        ratios += filter(None, (one.get(size) for one in (single, batches)))
        found = [
            Cell("disturbed", "number same")
            if size in one and one[size] is None
            else _ratio_cell(one.get(size))
            for one in (single, batches)
        ]
        yield [size_text(size), *found]


def _ratio_cell(ratio: Ratio | None) -> Cell:
    if ratio is None:
        return Cell("–", "number")
    interval = element("small", interval_text(ratio))
    style = "faster" if ratio.low > 1 else "slower" if ratio.high < 1 else "same"
    return Cell([f"{ratio_text(ratio.value)} ", interval], f"number {style}")


def _limit(ranks: Ranks, results: Results) -> Xml.Element | None:
    rows = [
        [
            f"P = {number}" + (f", batches of {batch}" if batch > 1 else ""),
            size_text(size),
            *(Cell(time_text(value), "number") for value in (least, own)),
            Cell(ratio_text(own / least) if least > 0 else "–", "number"),
        ]
        for number in ranks.numbers
        for batch in limit.BATCHES
        for size, least, own in results.get(limit.title(number, batch), {"rows": []})["rows"]
    ]
    if not rows:
        return None
    note = paragraph(
        code("rondo-limit"),
        " copies each rank's total in, makes one arrival and copies the total out, in the same "
        "shared memory. Medians in microseconds; the two programs take turns.",
        style="quiet",
    )
    headings = ["", "S", "limit", limit.ALGORITHM, "times the limit"]
    return section("Against the limit of shared memory", [note, table(headings, rows)], "limit")


def _regret(ranks: Ranks, results: Results) -> Xml.Element | None:
    rows = []
    for number in ranks.numbers:
        for cell in choosing.all_cells():
            found = results.get(choosing.title(number, cell))
            if found:
                regret = Excess(*found["regret"])
                best = found["best"] if regret.is_beyond(0) else ""
                rows.append([f"P = {number}, {cell.title()}", Cell(regret.title(), "number"), best])
    if not rows:
        return None
    note = paragraph(
        "How much slower ",
        code("auto"),
        " is in alltoallv than the best of all that is worth running. The best is chosen on odd "
        "iterations and compared on even ones, and named if it is significantly faster.",
        style="quiet",
    )
    headings = ["", "regret, 95\u00a0% interval", "the best"]
    return section("The regret of auto", [note, table(headings, rows)], "regret")


def _applications(ranks: Ranks, results: Results) -> Xml.Element | None:
    rows = [
        [
            f"{cost.program.removeprefix('rondo-')}, {cost.what}",
            *(
                Cell(f"{cost.milliseconds(arm, 'exchange'):.2f}", "number")
                for arm in applications.demo.ARMS
            ),
            *(Cell(cost.speedup(which), "number") for which in ("exchange", "total")),
        ]
        for cost in applications.costs(results, ranks.most)
    ]
    if not rows:
        return None
    note = paragraph(
        f"On {ranks.most} ranks, runs in turn with the MPI library's own calls and with ",
        code("auto"),
        ". The last two columns tell how many times as fast the exchanges and the whole run are.",
        style="quiet",
    )
    headings = ["", "mpi, ms", "auto, ms", "exchanges", "whole run"]
    return section("Applications", [note, table(headings, rows)], "applications")


def _programs(results: Results) -> Xml.Element | None:
    rows = [
        [f"{cell['program']}, {cell['place']}", *_program_row(cell)]
        for names in whole_programs.all_cells()
        if (cell := results.get(whole_programs.title(*names)))
    ]
    if not rows:
        return None
    note = paragraph(
        "The time without Rondo over the time with it, so above 1 Rondo is faster: of pairs of "
        "whole runs, their median with its 95\u00a0% interval, and what one run with ",
        code("--ab"),
        " tells.",
        style="quiet",
    )
    headings = ["", "exchanges", "whole runs", "--ab"]
    return section("Programs", [note, table(headings, rows)], "programs")


def _program_row(cell: dict[str, Any]) -> list[str]:
    (report,) = cell["ab"]
    whole = ab_table.figure(ab_table.ratios(cell["pairs"])) if cell["pairs"] else "not measured"
    return [str(report["exchanges"]), whole, ab_table.said(report)]


def left_out(reasons: dict[str, str]) -> Iterator[str]:
    """A sentence for each kind of task and each reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for title, why in reasons.items():
        kind, _, what = title.partition(": ")
        groups.setdefault((kind, why), []).append(what)
    for (kind, why), tasks in groups.items():
        yield f"{kind.capitalize()}: {'; '.join(tasks)}: {why.rstrip('.')}."
