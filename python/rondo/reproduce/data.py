"""The data of a figure: everything that is drawn, and where it comes from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Callable

from rondo._core import version
from rondo.reproduce import simulated
from rondo.reproduce.figures import Figure, Line
from rondo.reproduce.marks import marks_of
from rondo.reproduce.measured import Bench
from rondo.reproduce.points import ROOT, Axes, Curve, Panel, Point, panels_of, root
from rondo.reproduce.values import count_of, value_of

Panels = list[dict[str, Any]]
Place = tuple[Line, Point]
Value = dict[str, Any]  # `y`, and what else is to be said of it
Tell = Callable[[int, int], None]  # how many points are done, of how many


def document(
    figure: Figure, parts: Iterable[Panels], seed: int = 1, library: str = ""
) -> dict[str, Any]:
    """What is written to FIGURE.json."""
    machines = [name for name in figure.axes.get("machine", []) if figure.against]
    calls = {name: simulated.call_of(name, figure.collective) for name in machines}
    return {
        "figure": figure.name,
        "paper": figure.paper,
        "section": figure.section,
        "title": figure.title,
        "shows": figure.shows,
        "remark": figure.remark,
        "collective": figure.collective,
        "against": figure.against,
        "simulated_as": calls,
        "measured_against": library,
        "seed": seed,
        "rondo": version,
        "x": figure.x,
        "y": figure.y,
        "row": figure.panels[0] if len(figure.panels) > 1 else "",  # what panels of a row share
        "exchanges": figure.times,
        "panels": [panel for part in parts for panel in part],
    }


def simulate_or_count(
    figure: Figure, seed: int = 1, ranks: list[int] | None = None, tell: Tell | None = None
) -> Panels:
    """The panels of the paper, at its numbers of ranks unless others are given."""
    axes = {**figure.axes, **({"ranks": ranks} if ranks else {})}
    if figure.y == "count":
        return _filled(figure, "counted", panels_of(figure, axes, _one_node), _count)
    panels = panels_of(figure, axes, simulated.per_node)
    seconds = simulated.seconds_by(figure, seed)
    places = _places(panels)
    if tell:
        tell(0, len(places))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        values = threads.map(lambda place: value_of(figure, place[1], seconds), places)
        found = {}
        for place, value in zip(places, values):
            found[place] = value
            if tell:
                tell(len(found), len(places))
    return _filled(figure, "simulated", panels, found.__getitem__)


def measure(figure: Figure, bench: Bench, ranks: list[int] | None = None) -> Panels:
    """The same at few ranks of one node, on this machine; of what can be measured."""
    if not figure.measured:
        return []
    axes: Axes = {**figure.axes, **figure.measured, "machine": [""]}
    if ranks:
        axes = {**axes, "ranks": ranks}
    panels = panels_of(figure, axes, _one_node)
    bench.measure(figure, [point for _, point in _places(panels)], axes["bytes"])
    return _filled(figure, "measured", panels, lambda place: _measured(figure, place[1], bench))


def _measured(figure: Figure, point: Point, bench: Bench) -> Value:
    value = value_of(figure, point, bench.seconds)
    if figure.y != "seconds":
        return value
    row = bench.row(point, point.algorithm, point.bytes)
    low, high = (figure.times * row[name] / 1e6 for name in ("low_us", "high_us"))
    return {**value, "low": low, "high": high}


def _count(place: Place) -> Value:
    return {"y": count_of(*place)}


def _one_node(_: str, ranks: int) -> int:
    return ranks


def _places(panels: list[Panel]) -> list[Place]:
    return [(curve.line, one) for panel in panels for curve in panel.curves for one in curve.points]


def _filled(
    figure: Figure, origin: str, panels: list[Panel], value: Callable[[Place], Value]
) -> Panels:
    """The panels with what is to be said of every point, and with the paper's numbers."""
    made = []
    for panel in panels:
        values = {place: value(place) for place in _places([panel])}
        ys = {point: one["y"] for (_, point), one in values.items()}
        is_rooted = ROOT in figure.axes.get("radix", [])
        made.append(
            {
                "origin": origin,
                "title": panel.title,
                **{name: one for name, one in panel.fixed.items() if one != ""},
                **({"root": root(panel.fixed["ranks"])} if is_rooted else {}),
                "lines": [_line(curve, values) for curve in panel.curves],
                "marks": [] if origin == "measured" else marks_of(figure, panel, ys),
            }
        )
    return made


def _line(curve: Curve, values: dict[Place, Value]) -> dict[str, Any]:
    points = [{**_said(point), **values[curve.line, point]} for point in curve.points]
    return {"label": curve.label, "algorithm": curve.line.algorithm, "points": points}


def _said(point: Point) -> dict[str, Any]:
    """What is known of a point; what does not apply to it is left out."""
    return {name: value for name, value in asdict(point).items() if value not in ("", 0)}
