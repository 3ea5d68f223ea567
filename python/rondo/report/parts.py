"""Parts of the page: text with its marks, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Union
from xml.etree import ElementTree as Xml

from rondo.report.marks import Mark
from rondo.show.sheet_frame import add

Content = Union[str, Xml.Element, Sequence[Union[str, Xml.Element]]]


class Cell(NamedTuple):
    """Of a table, where it is more than its content."""

    content: Content
    style: str = ""
    title: str = ""  # what a pointer on it shows


def element(tag: str, content: Content = "", style: str = "", **attributes: str) -> Xml.Element:
    made = Xml.Element(tag, {"class": style, **attributes} if style else attributes)
    put(made, content)
    return made


def put(parent: Xml.Element, content: Content) -> None:
    """Adds text and elements at the end."""
    for part in [content] if isinstance(content, (str, Xml.Element)) else content:
        if isinstance(part, Xml.Element):
            parent.append(part)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + part
        else:
            parent.text = (parent.text or "") + part


def text_of(part: Xml.Element) -> str:
    """The text of an HTML file."""
    return Xml.tostring(part, encoding="unicode", method="html")


def section(title: str, content: Iterable[Xml.Element], name: str) -> Xml.Element:
    return element("section", [element("h2", title), *content], id=name)


def paragraph(*content: str | Xml.Element, style: str = "") -> Xml.Element:
    return element("p", content, style)


def code(text: str) -> Xml.Element:
    return element("code", text)


def badge(mark: Mark) -> Xml.Element:
    """The letter of an algorithm in its colour."""
    return element("b", mark.letter, f"badge {mark.style}")


def table(
    headings: Sequence[str], rows: Iterable[Sequence[Content | Cell]], style: str = ""
) -> Xml.Element:
    """The first cell of a row is its heading. It scrolls by itself where the page is too narrow."""
    made = Xml.Element("table", {"class": style} if style else {})
    head = add(add(made, "thead"), "tr")
    for heading in headings:
        add(head, "th", text=heading, scope="col")
    body = add(made, "tbody")
    for cells in rows:
        row = add(body, "tr")
        for at, content in enumerate(cells):
            row.append(_cell(content, is_heading=at == 0))
    # Focusable, so that whoever has no pointer can scroll it.
    label = f"Table: {', '.join(filter(None, headings))}"
    return element("div", made, "wide", tabindex="0", role="region", **{"aria-label": label})


def _cell(content: Content | Cell, is_heading: bool) -> Xml.Element:
    cell = content if isinstance(content, Cell) else Cell(content)
    attributes = {"title": cell.title} if cell.title else {}
    if is_heading:
        return element("th", cell.content, cell.style, scope="row", **attributes)
    return element("td", cell.content, cell.style, **attributes)
