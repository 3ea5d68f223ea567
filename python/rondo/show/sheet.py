"""All frames of a picture on one sheet, as SVG."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from rondo.show.follow import Block
from rondo.show.palette import colours
from rondo.show.picture import Frame, Picture
from rondo.show.sheet_frame import (
    CELL_HEIGHT,
    LETTER,
    LINE,
    FrameDrawing,
    Size,
    add,
    add_block,
    add_cell,
    add_leader,
)

MOST_BLOCKS = 20_000  # on one sheet: some megabytes
_WIDTH = 880  # of a sheet, unless one frame is wider
_MARGIN, _FRAME_GAP, _ROW_GAP = 32, 44, 44
_SAMPLE = CELL_HEIGHT + 8  # of the legend

_STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  fill: #1f2328; text-anchor: middle }
.paper { fill: #ffffff }
.name { font-size: 24px; font-weight: 650 }
.title { font-size: 15px; font-weight: 650 }
.fact { font-size: 17px; font-weight: 650 }
.left { text-anchor: start }
.right { text-anchor: end }
.strong { font-weight: 700 }
.quiet { fill: #59636e; font-size: 12px; font-weight: 400 }
.inverse { fill: #ffffff }
.leader { fill: #1f2328 }
.empty { fill: none; stroke: #d1d9e0 }
.ring { fill: none; stroke: #1f2328; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .paper { fill: #0d1117 }
  .quiet { fill: #9198a1 }
  .inverse { fill: #0d1117 }
  .leader { fill: #f0f6fc }
  .empty { stroke: #3d444d }
  .ring { stroke: #f0f6fc }
}
"""


def sheet(picture: Picture) -> str:
    """The text of the SVG; ValueError if it has too many blocks to be looked at."""
    blocks = len(picture.blocks) * len(picture.frames)
    if blocks > MOST_BLOCKS:
        raise ValueError(
            f"a sheet of {len(picture.frames)} frames would have {blocks} blocks, more than "
            f"{MOST_BLOCKS}: take --format html"
        )
    svg = _Sheet(picture).draw()
    return Xml.tostring(svg, encoding="unicode") + "\n"


class _Sheet:
    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.size = Size.of(picture)
        self.svg = Xml.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
        self.frame = FrameDrawing(picture, self.size, self.svg)
        self.frame_width = max(self.size.width(panel) for panel in picture.panels)
        step = self.frame_width + _FRAME_GAP
        most = max((_WIDTH - 2 * _MARGIN + _FRAME_GAP) // step, 1)
        rows = -(-len(picture.frames) // most)
        self.columns = -(-len(picture.frames) // rows)
        self.width = max(self.columns * step - _FRAME_GAP, 360) + 2 * _MARGIN

    def draw(self) -> Xml.Element:
        add(self.svg, "title", text=f"{self.picture.subject.name}, round by round")
        add(self.svg, "style", text=_STYLE + self._colours())
        cell = add(add(self.svg, "defs"), "rect", width=self.size.cell, height=CELL_HEIGHT, rx=4)
        cell.set("id", "cell")
        add(self.svg, "rect", "paper", width="100%", height="100%", rx=10)
        bottom = self._draw_heading()
        for first in range(0, len(self.picture.frames), self.columns):
            frames = self.picture.frames[first : first + self.columns]
            bottom = self._draw_row(frames, bottom + _ROW_GAP)
        bottom = self._draw_legend(bottom + _ROW_GAP - 10) + _MARGIN
        self.svg.set("viewBox", f"0 0 {self.width} {bottom}")
        self.svg.set("width", str(self.width))
        self.svg.set("height", str(bottom))
        return self.svg

    def _colours(self) -> str:
        subject = self.picture.subject
        nodes = [subject.node_of(rank) for rank in range(subject.ranks)]
        return "".join(
            f".to{rank} {{ fill: {one.fill} }} .on{rank} {{ fill: {one.ink} }}\n"
            for rank, one in enumerate(colours(nodes))
        )

    def _draw_heading(self) -> int:
        subject = self.picture.subject
        y = _MARGIN + 20
        add(self.svg, "text", "name left", subject.name, x=_MARGIN, y=y)
        y += 6
        idea = self._wrapped(f"{subject.row.idea} · {subject.row.source}")
        for line in [*idea, *self._wrapped(", ".join(subject.parameters))]:
            y += 18
            add(self.svg, "text", "quiet left", line, x=_MARGIN, y=y)
        x, y = _MARGIN, y + 38
        for fact in self.picture.facts:
            width = max(10 * len(fact.text), LETTER * len(fact.meaning))
            if x + width > self.width - _MARGIN:
                x, y = _MARGIN, y + 48
            add(self.svg, "text", "fact left", fact.text, x=x, y=y)
            add(self.svg, "text", "quiet left", fact.meaning, x=x, y=y + 18)
            x += width + 20
        return y + 18

    def _wrapped(self, sentence: str, width: int | None = None) -> list[str]:
        room = self.width - 2 * _MARGIN if width is None else width
        return textwrap.wrap(sentence, int(room / 6.1))

    def _draw_row(self, frames: Sequence[Frame], top: int) -> int:
        lines = [self._wrapped(frame.sentence, self.frame_width) for frame in frames]
        heights = [max(panel) for panel in zip(*map(self.frame.heights, frames))]
        y = top + 8 + LINE * max(map(len, lines)) + 14
        for column, frame in enumerate(frames):
            x = _MARGIN + column * (self.frame_width + _FRAME_GAP)
            title = add(self.svg, "text", "title left", frame.title, x=x, y=top)
            if frame.phase:
                add(title, "tspan", "quiet", frame.phase, dx=8)
            for number, line in enumerate(lines[column], start=1):
                add(self.svg, "text", "quiet left", line, x=x, y=top + 4 + LINE * number)
            self.frame.draw(frame, x, y, heights)
        return y + self.frame.total(heights)

    def _draw_legend(self, top: int) -> int:
        """Samples of what is drawn, each with its meaning; where they end."""
        subject, width = self.picture.subject, self.size.cell
        last = subject.ranks - 1
        meanings = [
            f"the block from P0 to P{last}, in the colour of P{last}",
            "moved in this round",
        ]
        add_block(self.svg, Block(0, last), _MARGIN, top, width)
        add_cell(self.svg, "ring", _MARGIN, top + _SAMPLE)
        if any(frame.leaders for frame in self.picture.frames):
            y = top + _SAMPLE * len(meanings) + 16
            add_leader(self.svg, 0, _MARGIN + width // 2, y)
            meanings.append("the leader: sends and receives for its node in this round")
        for label, meaning in self.picture.legend:
            y = top + _SAMPLE * len(meanings) + 16
            add(self.svg, "text", "strong", label, x=_MARGIN + width // 2, y=y)
            meanings.append(meaning)
        for number, meaning in enumerate(meanings):
            y = top + _SAMPLE * number + 16
            add(self.svg, "text", "quiet left", meaning, x=_MARGIN + width + 12, y=y)
        y = top + _SAMPLE * len(meanings)
        for line in self._wrapped(subject.remark):
            y += LINE
            add(self.svg, "text", "quiet left", line, x=_MARGIN, y=y)
        return y
