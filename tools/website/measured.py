"""What docs/results/ says of one algorithm: its rows, and the sections that name it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_PAGES = Path(__file__).resolve().parents[2] / "docs/results"
_SEPARATOR = re.compile(r"\|(?: *:?-+:? *\|)+")
_HEADING = re.compile(r"(#{2,4}) (.*)")
_COMMENT = re.compile(r"<!-- (.*) -->")
_OPENING = 40  # characters, in which a paragraph says what its table is about
_SEARCH = "How much slower is `auto` than the best algorithm"
_FASTER = re.compile(r"%, (\w+)")  # in a cell of the table of what `auto` loses: who was faster


def anchor_of(title: str) -> str:
    """The anchor that Python-Markdown makes of a title."""
    kept = re.sub(r"[^\w\s-]", "", title.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


@dataclass
class Table:
    """A table, and the words that stand before it."""

    before: str
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)  # HTML comments above it


@dataclass
class Section:
    page: str  # the name of its file, without .md
    title: str
    chapter: str  # the title of the section that it is part of, or its own
    text: str = ""
    tables: list[Table] = field(default_factory=list)

    @property
    def is_simulated(self) -> bool:
        return "simulat" in f"{self.page} {self.chapter} {self.title}".lower()

    @property
    def anchor(self) -> str:
        return anchor_of(self.title)


class Finding(NamedTuple):
    """What one section says of an algorithm."""

    section: Section
    tables: list[Table]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def pages() -> list[Section]:
    """The sections of all pages of results."""
    paths = sorted(_PAGES.glob("*.md"))
    return [one for path in paths for one in sections(path.read_text("utf-8"), path.stem)]


def sections(text: str, page: str) -> list[Section]:
    """The sections of a page, with their tables."""
    found: list[Section] = []
    paragraph: list[str] = []
    comments: list[str] = []
    before = ""
    table: Table | None = None
    chapter = ""
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            chapter = heading[2] if heading[1] == "##" else chapter
            found.append(Section(page, heading[2], chapter))
            before, paragraph, table, comments = "", [], None, []
        elif not found:
            continue
        elif comment := _COMMENT.fullmatch(line):
            comments.append(comment[1])
        elif line.startswith("|"):
            if table is None:
                table = Table(before, _cells(line), comments=comments)
                comments = []
                found[-1].tables.append(table)
            elif not _SEPARATOR.fullmatch(line.strip()):
                table.rows.append(_cells(line))
        elif line.strip():
            table = None
            paragraph.append(line)
            before = " ".join(paragraph)
        else:
            table, paragraph = None, []
        if found:
            found[-1].text += line + "\n"
    return found


def _is_about(cell: str, name: str) -> bool:
    """Whether a row begins with that algorithm, with parameters or without."""
    return re.fullmatch(rf"`?{name}`?(?:[: ].*)?", cell) is not None


def _introduces(table: Table, name: str) -> bool:
    """Whether the paragraph before a table begins with the algorithm that it is about."""
    return f"`{name}`" in table.before[:_OPENING] and table.header[0] != "algorithm"


def _rows_about(table: Table, name: str) -> list[list[str]]:
    if _introduces(table, name):
        return table.rows
    return [row for row in table.rows if _is_about(row[0], name)]


def findings(results: list[Section], name: str) -> list[Finding]:
    """What the sections say of an algorithm, those first that have rows of it."""
    found = []
    for section in results:
        if not re.search(rf"\b{name}\b", section.text):
            continue
        about = [(table, _rows_about(table, name)) for table in section.tables]
        tables = [Table(table.before, table.header, rows) for table, rows in about if rows]
        found.append(Finding(section, tables))
    return found


def cells_won(results: list[Section], name: str) -> tuple[int, int]:
    """In how many cells of the search it was faster than `auto` beyond doubt, and of how many."""
    search = [one for one in results if one.title.startswith(_SEARCH)]
    cells = [cell for one in search for table in one.tables for row in table.rows for cell in row]
    searched = [cell for cell in cells if re.match(r"-?\d[\d.]* %(?:,|$)", cell)]
    return sum(_FASTER.findall(cell)[:1] == [name] for cell in searched), len(searched)
