#!/usr/bin/env python3
"""Print the table of docs/comparison.md that says where Rondo is slower, from the pages of results.

slower.py slower | cells

`slower` prints that table, and fails if a table of the results lacks a comment, or if a group of
cells and the bullets above that table do not match. `cells` prints every cell.

A comment above a table says what its cells are:

    <!-- ratio: KIND of WHAT[; labels: N][; columns: PATTERN][; brackets: cases] -->
    <!-- no ratio: WHY -->

KIND is one of KINDS, and WHAT names what is compared with what. The first N columns (1 unless the
comment says otherwise) say which case a row is, and the others have the values: all of them, or
those whose titles match PATTERN. A table has several comments if its columns are of several kinds.
In docs/results/ every table below a heading needs a comment; elsewhere, tables without one are
passed over.

A cell counts if its value is on the side where Rondo is slower, and no part of the interval in
brackets is on the other side. With `brackets: cases` the brackets have the least and the greatest
of several cases, so one of them suffices.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Callable, NamedTuple

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools/website"))

from measured import Table, sections  # noqa: E402

DOCS = SOURCE / "docs"
COMPARISON = DOCS / "comparison.md"
HEADING = "## Where Rondo is slower\n"
MOST_LISTED = 3  # cells of a table in docs/comparison.md
_COMMENT = re.compile(r"ratio: (\w+) of ([^;]+)((?:; \w+: [^;]+)*)")
_NUMBER = r"-?\d+(?:\.\d+)?"
_VALUE = re.compile(rf"({_NUMBER}(?:, {_NUMBER})*)(?: \(({_NUMBER})(?:-| to )({_NUMBER})\))?(?!\d)")
_LOSS = re.compile(rf"({_NUMBER}) %(, .+)?")
_EMPTY = ("", "-")
_OURS = "Rondo: "  # begins the title of a column whose partner ends with the same words


class Kind(NamedTuple):
    excess: Callable[[float], float]  # of a value: positive where Rondo is slower
    words: Callable[[str], str]  # what a cell says


KINDS = {
    "speedup": Kind(lambda value: 1 / value - 1, "{} times as fast".format),
    "time": Kind(lambda value: value - 1, "{} times as long".format),
    "times": Kind(lambda value: value - 1, str),  # two columns, divided by each other
    "delay": Kind(lambda value: value, "{} ms behind".format),
    # Of a cell such as "4.1 %, node_aware": it names what is faster beyond doubt, if anything is.
    "loss": Kind(lambda value: value, lambda text: text.replace(", ", " longer than ", 1)),
}


class Cell(NamedTuple):
    case: str
    text: str
    excess: float  # of its value; of the worst case, if it has several


class Group(NamedTuple):
    """The cells of one comment in which Rondo is slower."""

    what: str
    link: str
    total: int
    slower: list[Cell]


class Wrong(Exception):
    """A table or a bullet that must be mended."""


def _excess(kind: str, text: str, of_cases: bool) -> float:
    """By how much Rondo is slower according to a cell; not positive if it is not."""
    if kind == "loss":
        found = _LOSS.fullmatch(text)
        if not found:
            raise Wrong(f"'{text}' is no loss")
        return float(found[1]) if found[2] else 0.0
    found = _VALUE.match(text.replace("*", ""))
    if not found:
        raise Wrong(f"'{text}' begins with no number")
    values = [float(one) for one in found[1].split(", ")]
    ends = [float(found[2]), float(found[3])] if found[2] else values
    excesses = [KINDS[kind].excess(end) for end in ends]
    if of_cases:
        return max(excesses)
    return max(map(KINDS[kind].excess, values)) if min(excesses) >= 0 else 0.0


def _case(header: list[str], row: list[str], title: str) -> str:
    """A row's first cells, and the title of a column, in words."""
    named = [
        f"{name} {cell}" if re.fullmatch(r"\d[\w.]*", cell) else cell
        for name, cell in zip(header, row)
    ]
    return ", ".join([*named, title] if title else named)


def _times(table: Table, labels: int) -> list[Cell]:
    """Of a table of times, those of Rondo divided by those of its partner."""
    found = []
    for mine, title in enumerate(table.header):
        if not title.startswith(_OURS):
            continue
        name = title[len(_OURS) :]
        others = [at for at, one in enumerate(table.header) if one.endswith(f": {name}")]
        other = next(at for at in others if at != mine)
        for row in table.rows:
            least = min(map(float, row[mine].split("-")))
            greatest = max(map(float, row[other].split("-")))
            case = _case(table.header[:labels], row, name)
            text = f"{row[mine]} beside {row[other]}"
            found.append(Cell(case, text, KINDS["times"].excess(least / greatest)))
    return found


def _cells(table: Table, kind: str, options: dict[str, str]) -> list[Cell]:
    """All cells with a value that a comment speaks of."""
    labels = int(options.get("labels", 1))
    if kind == "times":
        return _times(table, labels)
    pattern = options.get("columns", ".*")
    columns = [
        at for at in range(labels, len(table.header)) if re.fullmatch(pattern, table.header[at])
    ]
    of_cases = options.get("brackets") == "cases"
    found = []
    for row in table.rows:
        for at in columns:
            if row[at] not in _EMPTY:
                title = table.header[at] if len(columns) > 1 else ""
                case = _case(table.header[:labels], row, title)
                found.append(Cell(case, row[at], _excess(kind, row[at], of_cases)))
    return found


def groups_of(text: str, page: str, must_say: bool) -> list[Group]:
    """What the tables of a page say, one group for each comment."""
    found = []
    for section in sections(text, page):
        for table in section.tables:
            told = [one for one in table.comments if re.match("(no )?ratio: ", one)]
            if must_say and not told:
                raise Wrong(f"docs/{page}.md, '{section.title}': a table without <!-- ratio: -->")
            for comment in told:
                if not comment.startswith("no "):
                    found.append(_group(table, comment, f"{page}.md#{section.anchor}"))
    return found


def _group(table: Table, comment: str, link: str) -> Group:
    parts = _COMMENT.fullmatch(comment)
    if not parts or parts[1] not in KINDS:
        raise Wrong(f"docs/{link}: <!-- {comment} --> is not understood")
    options = dict(one.split(": ", 1) for one in parts[3].split("; ")[1:])
    try:
        cells = _cells(table, parts[1], options)
    except Wrong as wrong:
        raise Wrong(f"docs/{link}: {wrong}") from None
    if not cells:
        raise Wrong(f"docs/{link}: <!-- {comment} --> speaks of no cell")
    words = KINDS[parts[1]].words
    slower = [one._replace(text=words(one.text)) for one in cells if one.excess > 0]
    slower.sort(key=lambda one: -one.excess)
    return Group(parts[2], link, len(cells), slower)


def all_groups() -> list[Group]:
    """Those of all pages that have a cell in which Rondo is slower."""
    found = []
    for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("results/*.md")]):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        text = path.read_text(encoding="utf-8")
        found += groups_of(text, page, must_say=page.startswith("results/"))
    return [group for group in found if group.slower]


def table_of(groups: list[Group], most: int) -> str:
    """A row for each group: all of its cells if they are at most so many, else the worst one."""
    lines = ["| compared | slower in | the worst first |", "| --- | --- | --- |"]
    for group in groups:
        count = len(group.slower)
        shown = group.slower if count <= most else group.slower[:1]
        cells = "; ".join(f"{cell.text}: {cell.case}" for cell in shown)
        more = f"; {count - len(shown)} more" if count > len(shown) else ""
        lines.append(f"| [{group.what}]({group.link}) | {count} of {group.total} | {cells}{more} |")
    return "\n".join(lines)


def check_bullets(document: str, groups: list[Group]) -> None:
    """Every group is explained by a bullet, and every bullet by a group."""
    text = document.split(HEADING)[1].split("<!-- generated")[0]
    bullets = re.findall(r"^- (?:.+\n)(?:  .+\n)*", text, re.M)
    explained = [set(re.findall(r"\(([\w/]+\.md#[\w-]+)\)", one)) for one in bullets]
    links = {group.link for group in groups}
    for link in sorted(links.difference(*explained)):
        raise Wrong(f"no bullet of docs/comparison.md links to {link}, where Rondo is slower")
    for bullet, targets in zip(bullets, explained):
        if not targets & links:
            raise Wrong(f"no table shows what docs/comparison.md says: {bullet.splitlines()[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=["slower", "cells"])
    is_short = parser.parse_args().table == "slower"
    try:
        groups = all_groups()
        if is_short:
            check_bullets(COMPARISON.read_text(encoding="utf-8"), groups)
    except Wrong as wrong:
        sys.exit(f"{Path(__file__).name}: {wrong}")
    print(table_of(groups, MOST_LISTED if is_short else sys.maxsize))


if __name__ == "__main__":
    main()
