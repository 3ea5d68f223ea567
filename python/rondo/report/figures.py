"""The sections of a report with numbers: times, and predictions beside them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from rondo.report.charts import Line, prediction_chart, times_chart
from rondo.report.findings import Findings
from rondo.report.judge import Verdict
from rondo.report.marks import name_of
from rondo.report.parts import Cell, Content, badge, code, element, paragraph, section, table
from rondo.report.race import Race
from rondo.report.words import percent_text, size_text, time_text
from rondo.results import AUTO

_MOST_LINES = 8  # of a chart, the MPI library's and auto's among them


def times(found: Findings) -> Xml.Element:
    """Charts of what matters; the numbers of all stand at the end of the page."""
    charts = []
    for race in found.verdicts:
        title = f"{race.collective}, P = {race.ranks}"
        chart = times_chart(title, _lines(found, race))
        charts.append(element("figure", [element("figcaption", title), chart]))
    legend = [
        element("li", [badge(mark), element("span", name_of(name))])
        for name, mark in list(found.marks.items())[:_MOST_LINES]
    ]
    note = paragraph(
        "Medians of the slowest rank's time, with 95\u00a0% intervals. A letter ends each line.",
        style="quiet",
    )
    content = [note, element("ul", legend, "legend short"), element("div", charts, "charts")]
    return section("Time against S", content, "times")


def _lines(found: Findings, race: Race) -> list[Line]:
    lines = []
    for name, mark in list(found.marks.items())[:_MOST_LINES]:
        rows = [one.rows[name] for one in found.verdicts[race] if name in one.rows]
        points = [(row["bytes"], row["median_us"], row["low_us"], row["high_us"]) for row in rows]
        shown = [point for point in points if min(point[1:]) > 0]
        if shown:
            lines.append(Line(name_of(name), mark, shown))
    return lines


def predictions(found: Findings) -> Xml.Element:
    rows, charts = [], []
    for one in found.comparisons:
        right, told = one.ordered
        order = percent_text(right / told) if told else "–"
        near, error = percent_text(one.near_share), percent_text(one.median_error)
        rows.append([one.method, error, near, order])
        chart = prediction_chart(one.method, one)
        charts.append(element("figure", [element("figcaption", f"by the {one.method}"), chart]))
    note = paragraph(
        "From the costs that tuning measured here, without the times below: by the model, which ",
        code("auto"),
        " asks where nothing was measured, and by the simulation of every message. A ring is "
        "alltoall, a square alltoallv; on the line both are equal, between the dashed lines within "
        "a factor of two.",
        style="quiet",
    )
    headings = ["", "median error", "within 2×", "pairs in order"]
    content = [note, table(headings, rows), element("div", charts, "charts square")]
    return section("Predicted and measured", content, "predictions")


def all_times(found: Findings) -> Iterator[Xml.Element]:
    """A table for each race: medians of everything."""
    for race, verdicts in found.verdicts.items():
        names = list(dict.fromkeys(name for one in verdicts for name in one.rows))
        sizes = [size_text(one.case.bytes) for one in verdicts]
        rows: list[list[Content | Cell]] = [
            [name_of(name), *(_time(one, name) for one in verdicts)] for name in names
        ]
        yield element("h3", f"{race.collective}, P = {race.ranks}")
        yield table(["µs, S =", *sizes], rows, "times")


def _time(verdict: Verdict, name: str) -> Cell:
    row = verdict.rows.get(name)
    if row is None:
        return Cell("–", "number")
    interval = f"95 %: {time_text(row['low_us'])} to {time_text(row['high_us'])}"
    is_best = verdict.is_told and name in verdict.tied and name != AUTO
    text = time_text(row["median_us"])
    return Cell(element("b", f"{text}\u202f•") if is_best else text, "number", interval)
