"""The points of a figure: every exchange that it shows, by panel and line. Nothing is run here."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable

from rondo.reproduce.figures import Figure, Line

Axes = Mapping[str, list[Any]]
PerNode = Callable[[str, int], int]  # Q, by machine and P

ROOT = "root"
_UNITS = {"HPDC 2022": "N", "TRA paper": "S"}  # what the papers call the longest block


@dataclass(frozen=True)
class Point:
    """One exchange, or two that are compared."""

    x: Any
    algorithm: str
    ranks: int
    ranks_per_node: int
    over: str = ""
    machine: str = ""
    bytes: int = 0
    distribution: str = ""
    radix: int = 0


@dataclass(frozen=True)
class Curve:
    line: Line
    label: str
    points: list[Point]


@dataclass(frozen=True)
class Panel:
    fixed: dict[str, Any]  # the axes that have one value here
    title: str
    curves: list[Curve]


def panels_of(figure: Figure, axes: Axes, per_node: PerNode) -> list[Panel]:
    """The panels with other values on the axes than the paper's, if need be."""
    return [_panel(figure, axes, fixed, per_node) for fixed in _each(axes, figure.panels)]


def root(ranks: int) -> int:
    """The root, rounded up as the TRA paper does; no radix is below 2."""
    return max(2, math.isqrt(max(ranks - 1, 0)) + 1)


def text_of(figure: Figure, axis: str, value: Any) -> str:
    """A value of an axis, in words."""
    if axis == "ranks":
        return f"P = {value}"
    if axis == "bytes":
        return f"{block_name(figure)} = {value} B"
    return str(value).capitalize() if axis == "machine" else str(value)


def block_name(figure: Figure) -> str:
    return _UNITS[figure.paper]


def _each(axes: Axes, names: list[str]) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*(axes[name] for name in names)):
        yield dict(zip(names, values))


def _panel(figure: Figure, axes: Axes, chosen: dict[str, Any], per_node: PerNode) -> Panel:
    scanned = "bytes" if figure.y == "crossover" else ""  # along which the crossover is looked for
    others = [name for name in axes if name not in (figure.x, scanned, *chosen)]
    alone = {name: axes[name][0] for name in others if len(axes[name]) == 1}
    several = [name for name in others if name not in alone]
    fixed = {**alone, **chosen}
    curves = [
        Curve(line, _label(figure, line, values), points)
        for line in figure.lines
        for values in _each(axes, several)
        if (points := _points(figure, line, axes, {**fixed, **values}, per_node))
    ]
    named = [*figure.panels, *(name for name in alone if name == "ranks")]
    words = [text_of(figure, name, fixed[name]) for name in named if fixed[name] != ""]
    return Panel(fixed, ", ".join(words), curves)


def _label(figure: Figure, line: Line, values: dict[str, Any]) -> str:
    words = [text_of(figure, name, value) for name, value in values.items()]
    return ", ".join(([] if len(figure.lines) == 1 and words else [line.label]) + words)


def _points(
    figure: Figure, line: Line, axes: Axes, values: dict[str, Any], per_node: PerNode
) -> list[Point]:
    points = {}
    for value in axes[figure.x]:
        there = {**values, figure.x: value}
        there["ranks_per_node"] = per_node(there.get("machine", ""), there["ranks"])
        if there.get("radix") == ROOT:
            there["radix"] = root(there["ranks"])
        if there.get("radix", 0) <= _most(line, there["ranks"], there["ranks_per_node"]):
            points[there[figure.x]] = _point(line, there[figure.x], there)
    return [points[x] for x in (sorted(points) if figure.x == "radix" else points)]


def _most(line: Line, ranks: int, per_node: int) -> int:
    limits = {"ranks": ranks, "half": ranks // 2, "nodes": ranks // per_node, "node": per_node}
    return limits.get(line.most, ranks)


def _point(line: Line, x: Any, values: dict[str, Any]) -> Point:
    ranks, per_node = values["ranks"], values["ranks_per_node"]
    words = {
        "root": root(ranks),
        "nodes": max(2, ranks // per_node),
        "root_of_node": root(per_node),
        "radix": values.get("radix", 0),
    }
    return Point(x, line.algorithm.format(**words), over=line.over, **values)
