"""Charts of a report, as SVG: times against S, and predictions against measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from rondo.report.marks import Mark
from rondo.report.predict import Comparison
from rondo.report.words import size_text
from rondo.show.sheet_frame import add

_WIDTH, _HEIGHT = 344, 250  # in pixels of a phone, on which text keeps its size
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 28, 10, 38
_FEW_TICKS = 3
_APART = 12  # of letters at the ends of lines
_SMALL = 0.8  # of what is measured, below the least


class Line(NamedTuple):
    """Medians with their intervals, by S."""

    name: str
    mark: Mark
    points: list[tuple[int, float, float, float]]  # S, median, low, high


class Axis(NamedTuple):
    """Logarithmic, from a pixel to a pixel."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.begin + share * (self.end - self.begin), 1)

    def ticks(self) -> list[float]:
        """Powers of ten, with what is between them where there are few of these."""
        for factors in ((1,), (1, 3), (1, 2, 5)):
            ticks = list(self._multiples(factors))
            if len(ticks) >= _FEW_TICKS:
                break
        return ticks

    def _multiples(self, factors: Sequence[int]) -> Iterator[float]:
        """Of powers of ten, as far as they are on the axis."""
        for power in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1):
            for factor in factors:
                if self.low <= factor * 10.0**power <= self.high:
                    yield factor * 10.0**power


def times_chart(title: str, lines: Sequence[Line]) -> Xml.Element:
    """Time against S."""
    sizes = sorted({point[0] for line in lines for point in line.points})
    times = [value for line in lines for point in line.points for value in point[1:] if value > 0]
    across = Axis(sizes[0], max(sizes[-1], 2 * sizes[0]), _LEFT + 8, _WIDTH - _RIGHT)
    up = Axis(_SMALL * min(times), max(times) / _SMALL, _HEIGHT - _BOTTOM, _TOP)
    svg = _frame(f"{title}: time against S", _HEIGHT)
    for tick in up.ticks():
        _grid_line(svg, up.at(tick))
        _label(svg, f"{tick:g}", _LEFT - 4, up.at(tick) + 4, "right")
    for size in sizes:
        _label(svg, size_text(size), across.at(size), _HEIGHT - _BOTTOM + 15)
    _label(svg, "S, bytes", (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4)
    _label(svg, "µs", 2, _TOP + 4, "left")
    for line in lines:
        _draw(svg, line, across, up)
    _end_letters(svg, lines, up)
    return svg


def _frame(label: str, height: int) -> Xml.Element:
    view = f"0 0 {_WIDTH} {height}"
    return Xml.Element("svg", {"viewBox": view, "role": "img", "aria-label": label})


def _grid_line(svg: Xml.Element, y: float) -> None:
    add(svg, "line", "grid", x1=_LEFT, x2=_WIDTH - _RIGHT + 4, y1=y, y2=y)


def _label(svg: Xml.Element, text: str, x: float, y: float, side: str = "middle") -> None:
    add(svg, "text", f"axis {side}", text, x=round(x, 1), y=round(y, 1))


def _draw(svg: Xml.Element, line: Line, across: Axis, up: Axis) -> None:
    group = add(svg, "g", f"line {line.mark.style}")
    add(group, "title", text=line.name)
    places = [(across.at(size), *map(up.at, times)) for size, *times in line.points]
    for x, _, low, high in places:
        add(group, "line", x1=x, x2=x, y1=low, y2=high)
    path = " ".join(f"{x},{y}" for x, y, _, _ in places)
    dashes = {"stroke-dasharray": line.mark.dashes} if line.mark.dashes else {}
    add(group, "polyline", points=path, **dashes)
    for x, y, _, _ in places:
        add(group, "circle", cx=x, cy=y, r=2.5)


def _end_letters(svg: Xml.Element, lines: Sequence[Line], up: Axis) -> None:
    """Each at the height of its line's end, or a little below where another one is there."""
    ends = sorted((up.at(line.points[-1][1]), line.mark) for line in lines)
    last = -math.inf
    for number, (height, mark) in enumerate(ends):
        below = len(ends) - 1 - number
        y = min(max(height, last + _APART), _HEIGHT - _BOTTOM - _APART * below)
        add(svg, "text", f"letter {mark.style}", mark.letter, x=_WIDTH - _RIGHT + 8, y=y + 4)
        last = y


def prediction_chart(title: str, comparison: Comparison) -> Xml.Element:
    """Predicted against measured times, a point for each algorithm in each case."""
    pairs = comparison.pairs
    times = [value for pair in pairs for value in (pair.measured, pair.predicted) if value > 0]
    low, high = _SMALL * min(times), max(times) / _SMALL
    height = _WIDTH - _LEFT - _RIGHT + _TOP + _BOTTOM
    across = Axis(low, high, _LEFT, _WIDTH - _RIGHT)
    up = Axis(low, high, height - _BOTTOM, _TOP)
    svg = _frame(f"{title}: predicted against measured times", height)
    for tick in up.ticks():
        _grid_line(svg, up.at(tick))
        _label(svg, f"{tick:g}", _LEFT - 4, up.at(tick) + 4, "right")
        _label(svg, f"{tick:g}", across.at(tick), height - _BOTTOM + 15)
    _label(svg, "measured, µs", (_LEFT + _WIDTH - _RIGHT) / 2, height - 4)
    add(svg, "text", "axis left", "predicted, µs", x=_LEFT + 4, y=_TOP + 10)
    for factor, style in ((1, "equal"), (2, "near"), (0.5, "near")):
        begin, end = (max(low, low / factor), min(high, high / factor))
        ends = (across.at(begin), across.at(end), up.at(factor * begin), up.at(factor * end))
        x1, x2, y1, y2 = ends
        add(svg, "line", style, x1=x1, x2=x2, y1=y1, y2=y2)
    for pair in pairs:
        if pair.predicted > 0:
            _point(
                svg, pair.verdict.case.collective, across.at(pair.measured), up.at(pair.predicted)
            )
    return svg


def _point(svg: Xml.Element, collective: str, x: float, y: float) -> None:
    """A ring for alltoall, a square for alltoallv."""
    if collective == "alltoall":
        add(svg, "circle", "point", cx=x, cy=y, r=3)
    else:
        add(svg, "rect", "point", x=round(x - 2.5, 1), y=round(y - 2.5, 1), width=5, height=5)
