"""A report as one page of HTML, which needs nothing besides itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from xml.etree import ElementTree as Xml

from rondo.report.figures import all_times, predictions, times
from rondo.report.findings import Findings
from rondo.report.machine import facts, left_out, machine, method
from rondo.report.marks import palette
from rondo.report.parts import paragraph, section, text_of
from rondo.report.sections import choices, region_map, summary
from rondo.show.page import document


def page(found: Findings, more: Sequence[Xml.Element] = ()) -> str:
    """The text of the page; further sections follow the summary."""
    words = {
        "command": found.command,
        "date": found.date.isoformat(),
    }
    parts = {
        "facts": "\n".join(
            f"    <div><dt>{escape(meaning)}</dt><dd>{escape(value)}</dd></div>"
            for meaning, value in facts(found)
        ),
        "sections": "\n".join(map(text_of, _sections(found, more))),
    }
    escaped = {name: escape(text) for name, text in words.items()}
    return document(
        f"Rondo report, {found.plan.topology.ranks} ranks",
        style="\n".join([_file("page.css"), *_rules()]),
        body=Template(_file("page.html")).substitute(escaped, **parts),
    )


def _file(name: str) -> str:
    return (files("rondo.report") / name).read_text(encoding="utf-8")


def _rules() -> Iterator[str]:
    for number, one in enumerate(palette()):
        yield f".colour{number} {{ --own: {one.fill}; --on: {one.ink} }}"


def _sections(found: Findings, more: Sequence[Xml.Element]) -> Iterator[Xml.Element]:
    yield summary(found)
    yield from more
    yield region_map(found)
    yield choices(found)
    yield times(found)
    if found.comparisons:
        yield predictions(found)
    yield machine(found)
    yield from left_out(found)
    note = paragraph(
        "Medians in microseconds. A dot stands beside the fastest, and beside what cannot be told "
        "apart from it.",
        style="quiet",
    )
    yield section("All times", [note, *all_times(found)], "all")
    yield method(found)
