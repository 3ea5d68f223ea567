"""A picture as one page of HTML, to be stepped through; it needs nothing besides itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from importlib.resources import files
from string import Template

from rondo.show.palette import colours
from rondo.show.picture import Cell, Frame, Panel, Picture

_ICONS = {
    "first": "M6 5h2.5v14H6zM20 5v14l-10-7z",
    "back": "M17 5v14l-11-7z",
    "forward": "M7 5v14l11-7z",
    "last": "M15.5 5H18v14h-2.5zM4 5v14l10-7z",
}
# Nodes beside each other.
_MOST_SIDE = 4
_EXTRA_REM = 4.1  # of a grid: its labels, and the gap to the next one
_CELL_GAP_REM = 0.19
_MARGIN_REM = 5
_CONTENT_REM = 100  # at most
_SMALL_TEXT = "0.75rem"
_LEAST_SIDE_REM = 48  # below, phones have rules of their own


def page(picture: Picture) -> str:
    """The text of the page."""
    subject = picture.subject
    words = {
        "name": subject.name,
        "idea": subject.row.idea,
        "source": subject.row.source,
        "remark": subject.remark,
        "parameters": ", ".join(subject.parameters),
        "last": str(len(picture.frames) - 1),
    }
    parts = {
        "script": _file("page.js"),
        "facts": "\n".join(_facts(picture)),
        "legend": "\n".join(_legend(picture)),
        # A script ends at the first "</", also inside a string.
        "picture": json.dumps(_data(picture), separators=(",", ":")).replace("<", "\\u003c"),
        **{f"icon_{name}": _icon(path) for name, path in _ICONS.items()},
        "icon_play": _icon("M8 5v14l11-7z", "play")
        + _icon("M7 5h3.5v14H7zM13.5 5H17v14h-3.5z", "pause"),
    }
    escaped = {name: escape(text) for name, text in words.items()}
    return document(
        f"{subject.name}, {subject.ranks} ranks",
        style="\n".join([_file("page.css"), *_rules(picture)]),
        body=Template(_file("page.html")).substitute(escaped, **parts),
    )


def document(title: str, style: str, body: str) -> str:
    """A page of Rondo's. Its own `style` follows the one that all pages share."""
    style = _file("base.css") + style
    return Template(_file("base.html")).substitute(title=escape(title), style=style, body=body)


def _file(name: str) -> str:
    return (files("rondo.show") / name).read_text(encoding="utf-8")


def _icon(path: str, style: str = "icon") -> str:
    return f'<svg class="{style}" viewBox="0 0 24 24" aria-hidden="true"><path d="{path}"/></svg>'


def _rules(picture: Picture) -> Iterator[str]:
    """What the style depends on: how much stands side by side, and colours."""
    subject = picture.subject
    digits = len(str(subject.ranks - 1))
    columns = max(len(panel.ranks) for panel in picture.panels)
    beside = min(len(picture.panels), 2)  # on a phone
    label = 2 if beside > 1 else 3
    least = 0.8 + 1.05 * digits  # around small text, also in a wide font
    narrowest = (0.9 if beside == 1 else 0.8) + 0.9 * digits
    grids = max(len(panel.grids) for panel in picture.panels)
    sizes = {
        "columns": columns,
        "grids": grids,
        "least": f"{least:.2f}rem",
        "narrowest": f"{narrowest:.2f}rem",
        "text": "0.875rem" if digits == grids == 1 else _SMALL_TEXT,
        "narrow": columns * beside,
        "label": f"{label}rem",
        "labels": f"{(label + 1.5) * beside + 0.5 * (len(picture.panels[0].groups) - 1)}rem",
        "small": "0.8125rem" if beside == digits == 1 else _SMALL_TEXT,
    }
    yield f":root {{ {'; '.join(f'--{name}: {size}' for name, size in sizes.items())} }}"
    yield from _side_rules(len(picture.panels), grids, columns * (least + _CELL_GAP_REM))
    for rank, one in enumerate(colours([subject.node_of(rank) for rank in range(subject.ranks)])):
        yield f".to{rank} {{ background: {one.fill}; color: {one.ink} }}"


def _side_rules(panels: int, grids: int, grid_rem: float) -> Iterator[str]:
    """Nodes stand side by side where there is room: nobody scrolls to the other one."""
    for side in (side for side in range(2, _MOST_SIDE + 1) if panels % side == 0):
        needed = (grid_rem + _EXTRA_REM) * grids * side + _MARGIN_REM
        sizes = f"--side: {side}; --extra: {_EXTRA_REM}rem; --content: {_CONTENT_REM}rem"
        yield f"@media (min-width: {max(needed, _LEAST_SIDE_REM):.1f}rem) {{ :root {{ {sizes} }} }}"


def _facts(picture: Picture) -> Iterator[str]:
    for fact in picture.facts:
        yield f"    <div><dt>{escape(fact.meaning)}</dt><dd>{escape(fact.text)}</dd></div>"


def _legend(picture: Picture) -> Iterator[str]:
    last = picture.subject.ranks - 1
    block = f'<span class="block to{last}" aria-hidden="true">0→<b>{last}</b></span>'
    samples = [
        (block, f"the block from P0 to P{last}, in the colour of P{last}"),
        ('<span class="ring"></span>', "moved in this round"),
    ]
    if any(frame.leaders for frame in picture.frames):
        meaning = "the leader: sends and receives for its node in this round"
        samples.append(('<span class="leader">P0</span>', meaning))
    for label, meaning in picture.legend:
        samples.append((f'<span class="label">{escape(label)}</span>', escape(meaning)))
    for sample, meaning in samples:
        yield f"      <li>{sample}<span>{meaning}</span></li>"


def _data(picture: Picture) -> dict[str, object]:
    """What the script reads."""
    number = {cell: at for at, cell in enumerate(_cells(picture))}
    return {
        "ranks": list(range(picture.subject.ranks)),
        "blocks": picture.blocks,
        "panels": [_panel(panel) for panel in picture.panels],
        "frames": [_frame(picture, frame, number) for frame in picture.frames],
    }


def _panel(panel: Panel) -> dict[str, object]:
    return {
        "groups": [group._asdict() for group in panel.groups],
        "grids": [asdict(grid) for grid in panel.grids],
    }


def _frame(picture: Picture, frame: Frame, number: dict[Cell, int]) -> dict[str, object]:
    return {
        "title": frame.title,
        "phase": frame.phase,
        "sentence": frame.sentence,
        "places": [number[frame.cells[block]] for block in picture.blocks],
        "moved": [at for at, block in enumerate(picture.blocks) if block in frame.moved],
        "notes": {rank: note._asdict() for rank, note in frame.notes.items()},
        "leaders": sorted(frame.leaders),
        "digit": frame.digit,
    }


def _cells(picture: Picture) -> Iterator[Cell]:
    """In the order of the script's."""
    for number, panel in enumerate(picture.panels):
        for at, grid in enumerate(panel.grids):
            for row in range(len(grid.rows)):
                for column in range(len(panel.ranks)):
                    yield Cell(number, at, row, column)
