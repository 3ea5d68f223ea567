"""A figure's plot, by matplotlib, from the figure's data alone."""

from __future__ import annotations

import textwrap
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
        style.save(draw(document), paths)
    return paths


def draw(document: Document) -> Figure:
    """All panels, what they show above, what their lines are below."""
    panels = document["panels"]
    labels = list(dict.fromkeys(line["label"] for panel in panels for line in panel["lines"]))
    looks = style.looks(labels)
    lines = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    handles = [*lines, *printed.handles(panels)]
    figure, grid = style.frame(len(panels), handles, heading(document))
    for axes, panel in zip(grid, panels):
        _draw_panel(axes, document, panel, looks)
    return figure


def heading(document: Document) -> str:
    """What the figure is, what it is compared with, and what it leaves out."""
    paper, number = document["paper"], document["figure"].rpartition("-")[2]
    lines = [f"{paper}, figure {number}: {document['title']}"]
    if document["against"]:
        calls = ", ".join(dict.fromkeys(document["simulated_as"].values()))
        lines.append(f"mpi is {document['against']}, simulated as {calls}")
        if document["measured_against"]:
            lines[-1] += f"; measured: {document['measured_against']}"
    lines += textwrap.wrap(document["remark"], 110)
    return "\n".join(lines)


def _draw_panel(
    axes: Axes, document: Document, panel: Panel, looks: dict[str, dict[str, Any]]
) -> None:
    factor, unit = _Y[document["y"]]
    places = _places(document, panel)
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
    _scale(axes, document, panel, places)
    if "root" in panel:
        axes.axvline(panel["root"], **printed.ROOT)
    axes.set_title(panel["title"])
    many = document["exchanges"]
    axes.set_ylabel(unit if many == 1 else f"{unit} for {many} exchanges")
    if panel["origin"] == "measured":
        axes.set_facecolor("#F0F0F0")


def _places(document: Document, panel: Panel) -> dict[Any, float]:
    """Where values of x are drawn: numbers at themselves, words in their order."""
    values = list(dict.fromkeys(one["x"] for line in panel["lines"] for one in line["points"]))
    if document["x"] == "distribution":
        return {value: float(place) for place, value in enumerate(values)}
    return {value: float(value) for value in sorted(values)}


def _scale(axes: Axes, document: Document, panel: Panel, places: dict[Any, float]) -> None:
    axes.grid(alpha=0.3)
    if document["x"] == "distribution":
        shown = style.few(list(places))
        axes.xaxis.set_major_locator(FixedLocator([places[value] for value in shown]))
        axes.set_xticklabels([_word(value) for value in shown])
    else:
        style.log2_axis(axes, places, is_size=document["x"] == "bytes")
    axes.set_xlabel(_x_label(document))
    ys = [one["y"] for line in panel["lines"] for one in line["points"] if one["y"] is not None]
    if not ys:
        axes.text(0.5, 0.5, "at no length", transform=axes.transAxes, ha="center")
        axes.set_xlim(0.9 * min(places.values()), 1.1 * max(places.values()))
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
        "distribution": f"shortest block, % of {block}",
    }[document["x"]]
