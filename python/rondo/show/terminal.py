"""A picture, or the bare rounds of a schedule, in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.columns import Columns
from rich.console import Group as Lines
from rich.console import RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from rondo.schedule import NodeSchedule, Schedule
from rondo.show.flat import distances
from rondo.show.follow import Block
from rondo.show.palette import colours
from rondo.show.picture import Cell, Fact, Frame, Grid, Panel, Picture, Subject

_APART = 4  # characters between frames
_LISTED = 12  # leaders in a line


def heading(subject: Subject, facts: Sequence[Fact]) -> RenderableType:
    name = Text.assemble((subject.name, "bold"), "  ", ("  ".join(subject.parameters), "dim"))
    idea = Text(f"{subject.row.idea} · {subject.row.source}", "dim")
    told = [Text.assemble((one.text, "bold"), f" {one.meaning}") for one in facts]
    return Lines(name, idea, Text(), Text("   ").join(told), Text())


def rounds(schedule: Schedule) -> Table:
    """Every round of a flat schedule, of any number of ranks."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("phase", "round", "hop", "blocks"):
        table.add_column(title, justify="right")
    table.add_column("of distance")
    number = 0
    for phase, together in enumerate(schedule.phases, start=1):
        for one in together:
            number += 1
            cells = (phase, number, one.hop, len(one.blocks), distances(one))
            table.add_row(*map(str, cells))
    return table


def messages(schedule: NodeSchedule) -> Table:
    """Who sends and receives in every round between nodes, of any number of ranks."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("phase", "round", "lane", "nodes on"):
        table.add_column(title, justify="right")
    table.add_column("leaders, node by node")
    number = 0
    for phase, together in enumerate(schedule.between.phases, start=1):
        for one in together:
            for lane in range(schedule.lanes):
                nodes = range(min(schedule.nodes, _LISTED))
                leaders = [str(schedule.leader(node, number, lane)) for node in nodes]
                more = "  …" if schedule.nodes > _LISTED else ""
                cells = (phase, number + 1, lane, one.hop)
                table.add_row(*map(str, cells), "  ".join(leaders) + more)
            number += 1
    return table


class Drawing:
    """The frames of a picture, side by side as far as they fit."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        subject = picture.subject
        nodes = [subject.node_of(rank) for rank in range(subject.ranks)]
        self.styles = [Style(color=one.ink, bgcolor=one.fill) for one in colours(nodes)]
        self.digits = len(str(subject.ranks - 1))
        self.width = max(self._width(panel) for panel in picture.panels)

    def frames(self) -> Columns:
        frames = [Padding(self._frame(one), (0, _APART, 1, 0)) for one in self.picture.frames]
        return Columns(frames, padding=0)

    def legend(self) -> Text:
        last = Block(0, self.picture.subject.ranks - 1)
        legend = Text.assemble(
            self._block(last, "→"),
            f" the block from P0 to P{last.destination}, just moved; ",
            self._block(last, "·"),
            " not moved in this round",
        )
        if any(frame.leaders for frame in self.picture.frames):
            legend.append("; ").append("P0*", "bold").append(" the leader")
        for label, meaning in self.picture.legend:
            legend.append(f"\n{label}", "bold").append(f" {meaning}")
        return legend

    def _width(self, panel: Panel) -> int:
        labels = max(len(word) for grid in panel.grids for word in _labels(grid))
        digits = max((1 + len(row) for grid in panel.grids for row in grid.digits), default=0)
        return labels + digits + sum(1 + self._cell_width for _ in panel.ranks) + len(panel.groups)

    @property
    def _cell_width(self) -> int:
        return 2 * self.digits + 1

    def _frame(self, frame: Frame) -> RenderableType:
        title = Text.assemble((frame.title, "bold"), "  ", (frame.phase, "dim"))
        lines = self._wrapped(frame)
        most = max(len(self._wrapped(one)) for one in self.picture.frames)
        sentence = Text("\n".join(lines) + "\n" * (most - len(lines)), "dim")
        panels = [self._panel(frame, number) for number in range(len(self.picture.panels))]
        return Lines(title, sentence, *panels)

    def _wrapped(self, frame: Frame) -> list[str]:
        return textwrap.wrap(frame.sentence, self.width)

    def _panel(self, frame: Frame, number: int) -> RenderableType:
        panel = self.picture.panels[number]
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(justify="right", no_wrap=True)
        for group in panel.groups:
            for _ in group.ranks:
                table.add_column(justify="right", no_wrap=True, min_width=self._cell_width)
            table.add_column()
        table.add_row("", *self._spread(panel, [self._head(frame, one) for one in panel.ranks]))
        table.add_row("", *self._spread(panel, [self._note(frame, one) for one in panel.ranks]))
        for at, grid in enumerate(panel.grids):
            for row in self._rows(frame, Cell(number, at, 0, 0), grid):
                table.add_row(row[0], *self._spread(panel, row[1:]))
        # Panels stand side by side with those of other frames.
        most = max(self._lines(one, number) for one in self.picture.frames)
        for _ in range(most - self._lines(frame, number)):
            table.add_row()
        titles = "   ".join(group.title for group in panel.groups if group.title)
        return Lines(Text(), *([Text(titles, "bold")] if titles else []), table)

    def _lines(self, frame: Frame, number: int) -> int:
        """Of the grids of a panel that have blocks."""
        used = {cell.grid for cell in frame.cells.values() if cell.panel == number}
        return sum(1 + len(self.picture.panels[number].grids[at].rows) for at in used)

    @staticmethod
    def _spread(panel: Panel, cells: Sequence[Text]) -> Iterator[Text]:
        """Cells with a gap behind each group."""
        rest = iter(cells)
        for group in panel.groups:
            yield from (next(rest) for _ in group.ranks)
            yield Text()

    @staticmethod
    def _head(frame: Frame, rank: int) -> Text:
        return Text(f"P{rank}*" if rank in frame.leaders else f"P{rank}", "bold")

    @staticmethod
    def _note(frame: Frame, rank: int) -> Text:
        note = frame.notes.get(rank)
        if note is None:
            return Text()
        return Text(f"→{note.receiver}", "bold" if note.leaves_node else "dim")

    def _rows(self, frame: Frame, first: Cell, grid: Grid) -> Iterator[list[Text]]:
        inside = {
            (cell.row, cell.column): block
            for block, cell in frame.cells.items()
            if (cell.panel, cell.grid) == (first.panel, first.grid)
        }
        if not inside:
            return
        columns = range(len(self.picture.panels[first.panel].ranks))
        yield [Text(_labels(grid)[0], "dim"), *(Text() for _ in columns)]
        for row in range(len(grid.rows)):
            blocks = [inside.get((row, column)) for column in columns]
            yield [self._label(frame, grid, row, blocks), *(self._cell(frame, b) for b in blocks)]

    @staticmethod
    def _label(frame: Frame, grid: Grid, row: int, blocks: list[Block | None]) -> Text:
        style = "bold" if frame.moved.intersection(blocks) and not grid.title else "dim"
        label = Text(_labels(grid)[row + 1], style)
        if grid.digits:
            label.append(" ")
        for at, digit in enumerate(grid.digits[row] if grid.digits else ""):
            label.append(
                digit, "bold underline" if style == "bold" and at == frame.digit else "dim"
            )
        return label

    def _cell(self, frame: Frame, block: Block | None) -> Text:
        if block is None:
            return Text("." + " " * self.digits, "dim")
        return self._block(block, "→" if block in frame.moved else "·")

    def _block(self, block: Block, sign: str) -> Text:
        text = f"{block.source:>{self.digits}}{sign}{block.destination:<{self.digits}}"
        return Text(text, self.styles[block.destination])


def _labels(grid: Grid) -> list[str]:
    """Over the rows, and beside each."""
    if grid.title:
        return [grid.title, *(f"{grid.heading} {row}" for row in grid.rows)]
    return [grid.heading, *grid.rows]
