"""The sections of a report that tell what was found."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from rondo import registry
from rondo.report.findings import Findings
from rondo.report.judge import WORTH_TELLING, Ratio, Verdict, runs_of_auto
from rondo.report.marks import name_of
from rondo.report.measure import COLLECTIVES
from rondo.report.parts import Cell, badge, code, element, paragraph, section, table
from rondo.report.race import Race
from rondo.report.words import interval_text, percent_text, ratio_text, size_text
from rondo.results import MPI
from rondo.select import Band
from rondo.show.picture import count


def summary(found: Findings) -> Xml.Element:
    points = [_gain_of_auto(found), *_fastest(found), *_predicted(found)]
    if found.plan.topology.shares_cores:
        points.append(
            "Ranks share cores here: what is measured is messages and switches between ranks, "
            "not what a machine with a core for each rank would show."
        )
    listed = element("ul", [element("li", point) for point in points])
    return section("In short", [listed], "short")


def _gain_of_auto(found: Findings) -> list[str | Xml.Element]:
    gains = [(one, one.gain) for one in found.all if one.gain is not None and one.is_told]
    if not gains:
        if all(one.is_disturbed for one in found.all):
            why = "All measurements were disturbed, so nothing tells what "
        else:
            why = "There are too few samples to tell what "
        return [why, code("auto"), " gains."]
    faster = sum(gain.is_more for _, gain in gains)
    slower = sum(gain.is_less for _, gain in gains)
    mean = statistics.geometric_mean(gain.value for _, gain in gains)
    most, gain = max(gains, key=lambda pair: pair[1].value)
    return [
        code("auto"),
        f" is faster than the MPI library's own call in {faster} of {count(len(gains), 'case')}, "
        f"slower in {slower}; in {len(gains) - faster - slower} there is no significant "
        f"difference. In the geometric mean it is {ratio_text(mean)} as fast, at most "
        f"{ratio_text(gain.value)} "
        f"({_case_text(most)}).",
    ]


def _case_text(verdict: Verdict) -> str:
    case = verdict.case
    sizes = f"P = {case.ranks}, S = {size_text(case.bytes)}".replace(" = ", "\u00a0=\u00a0")
    return f"{case.collective}, {sizes}"


def _fastest(found: Findings) -> Iterator[str]:
    takes = Counter(found.taken.values()).most_common()
    if takes:
        listed = ", ".join(f"{name_of(name)} in {number}" for name, number in takes)
        cases = count(len(found.taken), "case")
        yield (
            "The fastest algorithm, or one that is not significantly slower, is "
            f"{listed} of {cases}."
        )


def _predicted(found: Findings) -> Iterator[str]:
    for one in found.comparisons:
        right, told = one.ordered
        order = (
            f"; {right} of {told} pairs of algorithms whose times differ significantly are "
            "predicted in the right order"
        )
        yield (
            f"Times predicted by the {one.method} are off by {percent_text(one.median_error)} in "
            f"the median{order if told else ''}."
        )


def region_map(found: Findings) -> Xml.Element:
    """Who is the fastest over P and S."""
    maps: list[Xml.Element] = []
    for collective in COLLECTIVES:
        races = [race for race in found.verdicts if race.collective == collective]
        if races:
            maps.append(element("div", [element("h3", collective), _map(found, races)]))
    why = paragraph(
        "A letter and a colour stand for the fastest algorithm. Where several are not "
        "significantly slower than the fastest, the map shows one of them, so that it needs few "
        "colours. The number says how many times as fast as the MPI library's own call the "
        "fastest one is; ≈ means that there is no significant difference.",
        style="quiet",
    )
    return section(
        "Who is the fastest where", [why, element("div", maps, "maps"), _legend(found)], "regions"
    )


def _map(found: Findings, races: list[Race]) -> Xml.Element:
    sizes = sorted({one.case.bytes for race in races for one in found.verdicts[race]})
    rows: list[list[Cell | str]] = []
    for race in races:
        by_size = {one.case.bytes: one for one in found.verdicts[race]}
        cells = [_region(found, by_size.get(size)) for size in sizes]
        rows.append([f"P = {race.ranks}", *cells])
    return table(["S", *map(size_text, sizes)], rows, "map")


def _region(found: Findings, verdict: Verdict | None) -> Cell:
    if verdict is None:
        return Cell("", "nothing", "not measured")
    if not verdict.is_told:
        return Cell(
            "?",
            "nothing",
            "disturbed" if verdict.is_disturbed else f"{verdict.samples} samples only",
        )
    name = found.taken[verdict.case]
    mark = found.marks[name]
    others = [name_of(one) for one in verdict.tied if one != name]
    title = name_of(name) + (f", or {', '.join(others)}" if others else "")
    return Cell(
        [element("b", mark.letter), element("small", _short_gain(verdict))], mark.style, title
    )


def _short_gain(verdict: Verdict) -> str:
    gain = verdict.best_gain
    if gain is None:
        return ""
    return ratio_text(gain.value) if gain.is_more or gain.is_less else "≈"


def _legend(found: Findings) -> Xml.Element:
    takes = Counter(found.taken.values())
    shown = [(name, mark) for name, mark in found.marks.items() if takes[name]]
    lines = [
        element(
            "li",
            [badge(mark), element("span", [element("b", name_of(name)), _idea(found, name)])],
        )
        for name, mark in shown
    ]
    return element("ul", lines, "legend")


def _idea(found: Findings, name: str) -> str:
    rows = (registry.find(collective, name) for collective in COLLECTIVES)
    row = next(filter(None, rows), None)
    return f": {row.idea}" if row is not None and name != MPI else ""


def choices(found: Findings) -> Xml.Element:
    """What auto runs, and what it gains."""
    parts: list[Xml.Element] = [
        paragraph(
            "The gain is the time of the MPI library's own call over that of ",
            code("auto"),
            ", with its 95\u00a0% interval: above 1, ",
            code("auto"),
            f" is faster. Differences of less than {percent_text(WORTH_TELLING - 1)} are not told. "
            "For ",
            code("auto"),
            " to choose so in your programs: ",
            code(f"rondo tune -- {found.command}"),
            ".",
            style="quiet",
        )
    ]
    for race, verdicts in found.verdicts.items():
        gains = [_gain_row(one) for one in verdicts if one.gain is not None]
        tables = [table(["S", "auto ran", "gain", ""], gains, "gains")]
        bands = found.bands(race)
        if bands:
            tables.append(table(["S", "auto runs", "because"], _band_rows(bands), "bands"))
        heading = element("h3", f"{race.collective}, P = {race.ranks}")
        parts += [heading, element("div", tables, "beside")]
    return section("What auto does and gains", parts, "auto")


def _gain_row(verdict: Verdict) -> list[Cell | str]:
    gain = verdict.gain
    assert gain is not None
    ran, _, values = runs_of_auto(verdict).partition(":")
    word, style = _judgement(gain) if verdict.is_told else (verdict.untold, "same")
    interval = element("small", interval_text(gain))
    return [
        size_text(verdict.case.bytes),
        Cell(name_of(ran), "name", values),
        Cell([f"{ratio_text(gain.value)} ", interval], "number"),
        Cell(word, style),
    ]


def _judgement(gain: Ratio) -> tuple[str, str]:
    if gain.is_more:
        return "▲ faster", "faster"
    return ("▼ slower", "slower") if gain.is_less else ("= alike", "same")


def _band_rows(bands: list[Band]) -> Iterator[list[Cell | str]]:
    last = -1
    for band in bands:
        name, _, values = band.algorithm.partition(":")
        reason = band.reason.removeprefix("measured: ")
        yield [_range_text(last, band.up_to), Cell(name_of(name), "name", values), reason]
        last = band.up_to or 0


def _range_text(last: int, up_to: int | None) -> str:
    """Of the lengths above `last`."""
    if up_to is None:
        return "all" if last < 0 else f"above {size_text(last)}"
    return (
        f"up to {size_text(up_to)}" if last < 0 else f"{size_text(last + 1)} to {size_text(up_to)}"
    )
