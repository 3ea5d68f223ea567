"""A figure's plot, by matplotlib, from the figure's data alone."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from rondo import plot_style as style
from rondo.reproduce import printed

Document = dict[str, Any]
Panel = dict[str, Any]

SUFFIXES = ("svg", "png")
_LETTERS = 62  # of a line above the panels
_Y = {
    "seconds": (1e3, "ms"),
    "saving": (1e3, "ms saved"),
    "crossover": (1, "block length"),
    "count": (1, "number"),
}
_SHORTEST = {"constant": "100", "uniform": "0"}  # in percent of the longest


def write(document: Document, folder: Path) -> list[Path]:
    """The plot as FIGURE.svg and FIGURE.png; their paths."""
    paths = [folder / f"{document['figure']}.{suffix}" for suffix in SUFFIXES]
    with style.styled():
        style.save(draw(document), paths, has_dark=True)
    return paths


def draw(document: Document) -> Figure:
    """All panels, what they show above, what their lines are below."""
    panels = document["panels"]
    labels = list(dict.fromkeys(line["label"] for panel in panels for line in panel["lines"]))
    looks = style.looks(labels)
    lines = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    handles = [*lines, *printed.handles(panels)]
    figure, grid = style.frame(len(panels), handles, heading(document), style.NARROW_INCHES)
    origins = list(dict.fromkeys(panel["origin"] for panel in panels))
    for origin in origins:
        there = [at for at, panel in enumerate(panels) if panel["origin"] == origin]
        _draw_panels(document, [grid[at] for at in there], [panels[at] for at in there], looks)
    if len(origins) == 1:
        style.label_edges(grid)
    return figure


def heading(document: Document) -> str:
    """What the figure is, where it is from, what it is compared with, and what it leaves out."""
    paper, number = document["paper"], document["figure"].rpartition("-")[2]
    lines = textwrap.wrap(f"{paper}, figure {number}: {document['title']}", _LETTERS)
    words = f"{document['panels'][0]['origin'].capitalize()}."
    if document["against"]:
        calls = ", ".join(dict.fromkeys(document["simulated_as"].values()))
        words += f" mpi is {document['against']}, simulated as {calls}"
        if document["measured_against"]:
            words += f"; measured: {document['measured_against']}"
        words += "."
    return "\n".join(lines + textwrap.wrap(f"{words} {document['remark']}", _LETTERS))


def _draw_panels(
    document: Document,
    grid: Sequence[Axes],
    panels: Sequence[Panel],
    looks: dict[str, dict[str, Any]],
) -> None:
    """Panels of one origin: all have the same x, and those of a row the same y."""
    rows: dict[Any, list[int]] = {}
    for at, panel in enumerate(panels):
        rows.setdefault(panel.get(document["row"]), []).append(at)
    for first, *others in rows.values():
        for at in others:
            grid[at].sharey(grid[first])
    for axes in grid[1:]:
        axes.sharex(grid[0])
    places = _places(document, panels)
    for axes, panel in zip(grid, panels):
        _draw_panel(axes, document, panel, places, looks)
    _scale_x(grid[0], document, places)
    for row in rows.values():
        _scale_y(grid[row[0]], document, [panels[at] for at in row])
    for axes in grid:
        axes.set_xlabel(_x_label(document))
        axes.set_ylabel(_y_label(document))


def _draw_panel(
    axes: Axes,
    document: Document,
    panel: Panel,
    places: dict[Any, float],
    looks: dict[str, dict[str, Any]],
) -> None:
    factor, _ = _Y[document["y"]]
    for line in panel["lines"]:
        known = [point for point in line["points"] if point["y"] is not None]
        xs, ys = [places[one["x"]] for one in known], [factor * one["y"] for one in known]
        axes.plot(xs, ys, **looks[line["label"]])
        if "low" in (known[0] if known else {}):
            ends = [[factor * one[name] for one in known] for name in ("low", "high")]
            style.shade(axes, xs, ends, looks[line["label"]]["color"])
        if document["x"] == "radix" and document["y"] == "seconds":
            printed.ring_best(axes, xs, ys)
        for one in known:
            if one.get("at_least"):
                axes.annotate("or more", (places[one["x"]], one["y"]), fontsize=7, ha="center")
    printed.draw_marks(axes, panel, factor, places, looks)
    if "root" in panel:
        axes.axvline(panel["root"], **printed.ROOT)
    axes.set_title(panel["title"])
    axes.grid(alpha=0.3)
    if panel["origin"] == "measured":
        axes.set_title(f"measured here\n{panel['title']}")
        axes.set_facecolor(style.SHADED)


def _points(panels: Sequence[Panel]) -> list[dict[str, Any]]:
    return [one for panel in panels for line in panel["lines"] for one in line["points"]]


def _places(document: Document, panels: Sequence[Panel]) -> dict[Any, float]:
    """Where values of x are drawn: numbers at themselves, words in their order."""
    values = list(dict.fromkeys(one["x"] for one in _points(panels)))
    if document["x"] == "distribution":
        return {value: float(place) for place, value in enumerate(values)}
    return {value: float(value) for value in sorted(values)}


def _scale_x(axes: Axes, document: Document, places: dict[Any, float]) -> None:
    if document["x"] == "distribution":
        shown = style.few(list(places))
        axes.xaxis.set_major_locator(FixedLocator([places[value] for value in shown]))
        axes.set_xticklabels([_word(value) for value in shown])
    else:
        style.log2_axis(axes, places, is_size=document["x"] == "bytes")


def _scale_y(axes: Axes, document: Document, panels: Sequence[Panel]) -> None:
    ys = [one["y"] for one in _points(panels) if one["y"] is not None]
    if not ys:
        axes.text(0.5, 0.5, "at no length", transform=axes.transAxes, ha="center")
    elif document["y"] == "crossover":
        style.size_axis(axes)
    elif min(ys) > 0:
        style.log_axis(axes)
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _word(value: str) -> str:
    """A distribution."""
    if value.startswith("window:"):
        return str(100 - int(value.partition(":")[2]))
    return _SHORTEST[value]


def _x_label(document: Document) -> str:
    block = "N" if document["collective"] == "alltoallv" else "S"
    return {
        "bytes": block,
        "ranks": "P, ranks",
        "radix": "radix",
        "distribution": f"shortest, % of {block}",
    }[document["x"]]


def _y_label(document: Document) -> str:
    _, unit = _Y[document["y"]]
    many = document["exchanges"]
    return unit if many == 1 else f"{unit} for {many} exchanges"
