"""One frame of a picture, as a part of an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from rondo.show.follow import Block
from rondo.show.picture import Cell, Frame, Grid, Panel, Picture

LINE = 17  # of text
LETTER = 7  # about as wide as one is
_DIGIT = 9  # a strong one, also in a wide font
CELL_HEIGHT = 24
_GAP, _GROUP_GAP, _GRID_GAP, _PANEL_GAP = 4, 12, 12, 26


def add(
    parent: Xml.Element, tag: str, style: str = "", text: str | None = None, **attributes: object
) -> Xml.Element:
    """A part of an SVG; `style` has the names of its rules."""
    words = {"class": style} if style else {}
    words.update((name, str(value)) for name, value in attributes.items())
    element = Xml.SubElement(parent, tag, words)
    element.text = text
    return element


def add_block(parent: Xml.Element, block: Block, x: float, y: float, width: float) -> None:
    add_cell(parent, f"to{block.destination}", x, y)
    style = f"on{block.destination}"
    text = add(parent, "text", style, f"{block.source}→", x=x + width // 2, y=y + 16)
    add(text, "tspan", "strong", str(block.destination))


def add_cell(parent: Xml.Element, style: str, x: float, y: float) -> None:
    add(parent, "use", style, href="#cell", x=x, y=y)


def add_leader(parent: Xml.Element, rank: int, x: float, y: float) -> None:
    """The head of a leader's column, `x` its middle."""
    width = 14 + LETTER * len(f"P{rank}")
    add(parent, "rect", "leader", x=x - width // 2, y=y - 13, width=width, height=18, rx=9)
    add(parent, "text", "strong inverse", f"P{rank}", x=x, y=y)


@dataclass(frozen=True)
class Size:
    """Of what all frames of a picture have in common."""

    cell: int
    label: int
    digits: int

    @staticmethod
    def of(picture: Picture) -> Size:
        grids = [grid for panel in picture.panels for grid in panel.grids]
        longest = max(len(row) for grid in grids for row in grid.rows)
        places = max((len(row) for grid in grids for row in grid.digits), default=0)
        digits = 12 + _DIGIT * places if places else 0
        heading = 6 + LETTER * max(len(grid.heading) for grid in grids)
        label = max(8 + LETTER * longest, heading - digits)
        cell = 18 + 2 * LETTER * len(str(picture.subject.ranks - 1))
        return Size(cell, label, digits)

    def columns(self, panel: Panel) -> list[int]:
        """Where the columns begin, from the left edge of the panel."""
        at, x = [], self.label + self.digits
        for group in panel.groups:
            at += [x + number * (self.cell + _GAP) for number in range(len(group.ranks))]
            x = at[-1] + self.cell + _GROUP_GAP
        return at

    def width(self, panel: Panel) -> int:
        return self.columns(panel)[-1] + self.cell


class FrameDrawing:
    """The panels of a frame, one below the other."""

    def __init__(self, picture: Picture, size: Size, svg: Xml.Element) -> None:
        self.picture = picture
        self.size = size
        self.svg = svg

    def heights(self, frame: Frame) -> list[int]:
        """Of the panels, so that those of frames side by side can be aligned."""
        return [self._height(frame, number) for number in range(len(self.picture.panels))]

    def draw(self, frame: Frame, x: int, y: int, heights: list[int]) -> None:
        for number, height in enumerate(heights):
            self._draw_panel(frame, number, x, y)
            y += height + _PANEL_GAP

    def total(self, heights: list[int]) -> int:
        return sum(heights) + _PANEL_GAP * (len(heights) - 1)

    def _height(self, frame: Frame, number: int) -> int:
        used = self._used(frame, number)
        titles = sum(LINE + _GRID_GAP for _, grid in used if grid.title)
        rows = sum(len(grid.rows) * (CELL_HEIGHT + _GAP) for _, grid in used)
        return self._head_height(number) + titles + rows

    def _head_height(self, number: int) -> int:
        has_titles = any(group.title for group in self.picture.panels[number].groups)
        return LINE * (3 if has_titles else 2) + 2

    def _used(self, frame: Frame, number: int) -> list[tuple[int, Grid]]:
        """The grids of a panel that have blocks in that frame."""
        used = {cell.grid for cell in frame.cells.values() if cell.panel == number}
        grids = enumerate(self.picture.panels[number].grids)
        return [(at, grid) for at, grid in grids if at in used]

    def _draw_panel(self, frame: Frame, number: int, x: int, y: int) -> None:
        panel = self.picture.panels[number]
        columns = [x + at for at in self.size.columns(panel)]
        self._draw_head(frame, panel, columns, y + self._head_height(number) - LINE - 9)
        y += self._head_height(number)
        for at, grid in self._used(frame, number):
            if grid.title:
                y += LINE + _GRID_GAP
                add(self.svg, "text", "quiet left", grid.title, x=columns[0], y=y - 8)
            if grid.heading:
                right = x + self.size.label + self.size.digits - 10
                add(self.svg, "text", "quiet right", grid.heading, x=right, y=y - 8)
            y = self._draw_grid(frame, Cell(number, at, 0, 0), columns, y)

    def _draw_head(self, frame: Frame, panel: Panel, columns: list[int], y: int) -> None:
        middles = {rank: x + self.size.cell // 2 for rank, x in zip(panel.ranks, columns)}
        for group in panel.groups:
            middle = (middles[group.ranks[0]] + middles[group.ranks[-1]]) // 2
            if group.title:
                add(self.svg, "text", "quiet", group.title, x=middle, y=y - LINE - 2)
        for rank, x in middles.items():
            if rank in frame.leaders:
                add_leader(self.svg, rank, x, y)
            else:
                add(self.svg, "text", "strong", f"P{rank}", x=x, y=y)
            note = frame.notes.get(rank)
            if note is not None:
                style = "strong" if note.leaves_node else "quiet"
                add(self.svg, "text", style, f"→ P{note.receiver}", x=x, y=y + LINE)

    def _draw_grid(self, frame: Frame, first: Cell, columns: list[int], y: int) -> int:
        grid = self.picture.panels[first.panel].grids[first.grid]
        blocks = {cell: block for block, cell in frame.cells.items()}
        for row in range(len(grid.rows)):
            cells = [first._replace(row=row, column=column) for column in range(len(columns))]
            inside = [blocks.get(cell) for cell in cells]
            has_moved = bool(frame.moved.intersection(inside)) and not grid.title
            self._draw_label(grid, row, columns[0], y + 16, frame.digit if has_moved else None)
            for block, x in zip(inside, columns):
                self._draw_cell(frame, block, x, y)
            y += CELL_HEIGHT + _GAP
        return y

    def _draw_label(self, grid: Grid, row: int, x: int, y: int, digit: int | None) -> None:
        """Left of `x`; strong where the row has moved, which `digit` is the reason for."""
        style = "quiet" if digit is None else "strong"
        right = x - self.size.digits - (2 if self.size.digits else 8)
        add(self.svg, "text", f"{style} right", grid.rows[row], x=right, y=y)
        for at, figure in enumerate(grid.digits[row] if grid.digits else ""):
            style = "strong" if at == digit else "quiet"
            left = x - self.size.digits + 6 + _DIGIT * at
            add(self.svg, "text", style, figure, x=left + _DIGIT // 2, y=y)

    def _draw_cell(self, frame: Frame, block: Block | None, x: int, y: int) -> None:
        if block is None:
            add_cell(self.svg, "empty", x, y)
            return
        add_block(self.svg, block, x, y, self.size.cell)
        if block in frame.moved:
            add_cell(self.svg, "ring", x, y)
