"""The papers' printed numbers, where they belong in a figure."""

from __future__ import annotations

from typing import Any, Optional

from rondo.reproduce import published
from rondo.reproduce.figures import Figure
from rondo.reproduce.points import Curve, Panel, Point
from rondo.reproduce.published import Number

Mark = dict[str, Any]
Values = dict[Point, Optional[float]]  # y of every point of the panel

SCHEDULES = "schedules"


def marks_of(figure: Figure, panel: Panel, values: Values) -> list[Mark]:
    """Marks have `x`, `y` or both, in the panel's units; `line` is the label of theirs."""
    machine = panel.fixed.get("machine", SCHEDULES)
    if figure.application:
        return _application_marks(figure, panel, machine)
    printed = [one for one in published.numbers(machine) if _is_printed_there(figure, one)]
    return [mark for one in printed for mark in _marks(figure, panel, one, values)]


def _is_printed_there(figure: Figure, number: Number) -> bool:
    is_of_paper = str(number["source"]).startswith(figure.paper)
    return is_of_paper and bool(number["collective"] == figure.collective)


def _marks(figure: Figure, panel: Panel, number: Number, values: Values) -> list[Mark]:
    kind = number["kind"]
    if figure.y == "crossover":
        found = _at_points(panel, number) if kind == "crossover" else []
        return [_mark(number, curve, point.x, number["value"]) for curve, point in found]
    if figure.y == "count":
        found = [one for one in _at_points(panel, number) if one[0].line.count == kind]
        return [_mark(number, curve, point.x, number["value"]) for curve, point in found]
    if figure.y != "seconds" or figure.times != 1:
        return []
    if kind in ("time", "ratio"):
        return _times(panel, number, values)
    if kind in ("crossover", "gain"):
        return _along_bytes(figure, panel, number, values)
    return _radices(figure, panel, number) if kind == "radix" else []


def _times(panel: Panel, number: Number, values: Values) -> list[Mark]:
    """A time where it is; a ratio on the other algorithm's simulated time."""
    marks = []
    for curve, point in _at_points(panel, number):
        other = _other(panel, point, number) if "over" in number else None
        base = _known(values, other) if other is not None else 1
        marks.append(_mark(number, curve, point.x, base * number["value"]))
    return marks


def _known(values: Values, point: Point) -> float:
    """A time, which every point of such a panel has."""
    value = values[point]
    assert value is not None
    return value


def _along_bytes(figure: Figure, panel: Panel, number: Number, values: Values) -> list[Mark]:
    if figure.x != "bytes":
        return []
    curves = {curve.label: curve for curve in panel.curves}
    ours, other = curves.get(number["algorithm"]), curves.get(number["over"])
    if not (ours and other and _is_at(number, ours.points[0], but=("bytes",))):
        return []
    if number["kind"] == "crossover":
        return [_mark(number, ours, number["value"], None)]
    ratios = [
        _known(values, own) / _known(values, base)
        for own, base in zip(ours.points, other.points)
        if own.bytes in number["sizes"]
    ]
    return [{**_mark(number, ours, None, None), "here": sum(ratios) / len(ratios)}]


def _radices(figure: Figure, panel: Panel, number: Number) -> list[Mark]:
    """The best value of a parameter, on the line along which that parameter varies."""
    for curve in panel.curves if figure.x == "radix" else ():
        first = curve.points[0]
        others = set(first.algorithm.split(":")) - {f"{number['parameter']}={first.radix}"}
        varies = f"{number['parameter']}={{radix}}" in curve.line.algorithm
        if varies and others == set(number["algorithm"].split(":")) and _is_at(number, first):
            return [_mark(number, curve, number["value"], None)]
    return []


def _application_marks(figure: Figure, panel: Panel, machine: str) -> list[Mark]:
    """Means of all exchanges of an application, for which any length may stand."""
    marks = []
    for number in published.applications(machine):
        if number["application"] != figure.application:
            continue
        for curve in panel.curves:
            first = curve.points[0]
            is_same = number["algorithm"] == first.algorithm and number["ranks"] == first.ranks
            if is_same and (number["kind"] == "saving") == (figure.y == "saving"):
                marks.append(_mark(number, curve, None, number["value"] / number["exchanges"]))
    return marks


def _at_points(panel: Panel, number: Number) -> list[tuple[Curve, Point]]:
    return [
        (curve, point)
        for curve in panel.curves
        for point in curve.points
        if _is_at(number, point)
        and number.get("algorithm", point.algorithm) == point.algorithm
        and number.get("over", point.over) in (point.over, _over_in(panel, point, number))
    ]


def _is_at(number: Number, point: Point, but: tuple[str, ...] = ()) -> bool:
    """Whether all axes that the number names have its values."""
    axes = [name for name in ("ranks", "bytes", "distribution", "radix") if name not in but]
    return all(
        number[name] == getattr(point, name)
        for name in axes
        if name in number and getattr(point, name)
    )


def _over_in(panel: Panel, point: Point, number: Number) -> str:
    return number["over"] if "over" in number and _other(panel, point, number) else ""


def _other(panel: Panel, point: Point, number: Number) -> Point | None:
    """The same exchange by the algorithm that is compared with."""
    for curve in panel.curves:
        for one in curve.points:
            if one.algorithm == number["over"] and one.x == point.x and _is_at(number, one):
                return one
    return None


def _mark(number: Number, curve: Curve, x: Any, y: float | None) -> Mark:
    kept = ("kind", "algorithm", "over", "exchanges", "sizes", "value", "printed", "source")
    said = {name: number[name] for name in kept if name in number}
    return {**said, "line": curve.label, "x": x, "y": y}
