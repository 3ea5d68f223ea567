"""A figure's plot, by matplotlib, from the figure's data alone."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from rondo.reproduce import printed
from rondo.show.palette import colours

Document = dict[str, Any]
Panel = dict[str, Any]

SUFFIXES = ("svg", "png")
_WIDTH_INCHES, _PER_INCH = 8.0, 150  # 1200 pixels
_PANEL_INCHES, _HEAD_INCHES, _LEGEND_ROW_INCHES = 2.1, 0.9, 0.2
_MOST_LABELS, _MOST_TICKS = 5, 7  # along x and y
_NARROW = 3.0  # high / low below which ticks are at even distances
_STEPS = ([1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1])  # of a decade, from many to few
_COLUMNS = {1: 1, 2: 2, 4: 2}  # of as many panels; of others three
_SHAPES = "osv^DPXd"
STYLE = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 8,
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",  # text as text: small files
    "svg.hashsalt": "rondo",  # the same file each time
}
_Y = {
    "seconds": (1e3, "ms"),
    "saving": (1e3, "ms saved"),
    "crossover": (1, "bytes"),
    "count": (1, "number"),
}
_SHORTEST = {"constant": "100", "uniform": "0"}  # in percent of the longest


def write(document: Document, folder: Path) -> list[Path]:
    """The plot as FIGURE.svg and FIGURE.png; their paths."""
    paths = [folder / f"{document['figure']}.{suffix}" for suffix in SUFFIXES]
    with matplotlib.rc_context(STYLE):
        figure = draw(document)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # both files have the layout that it has now
        for path in paths:
            undated = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(path, dpi=_PER_INCH, metadata=undated)
    return paths


def draw(document: Document) -> Figure:
    """All panels, what they show above, what their lines are below."""
    panels = document["panels"]
    labels = list(dict.fromkeys(line["label"] for panel in panels for line in panel["lines"]))
    looks = {label: _look(number, label) for number, label in enumerate(labels)}
    handles = [*_line_handles(looks), *printed.handles(panels)]
    columns = min(3, max(1, 105 // max(len(handle.get_label()) + 6 for handle in handles)))
    rows = -(-len(panels) // _COLUMNS.get(len(panels), 3))
    height = _HEAD_INCHES + _PANEL_INCHES * max(rows, 1.4)
    height += _LEGEND_ROW_INCHES * -(-len(handles) // columns)
    figure = Figure(figsize=(_WIDTH_INCHES, height), dpi=_PER_INCH, layout="constrained")
    for axes, panel in zip(_axes(figure, len(panels)), panels):
        _draw_panel(axes, document, panel, looks)
    figure.suptitle(heading(document), fontsize=9)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
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


def _axes(figure: Figure, count: int) -> list[Axes]:
    columns = _COLUMNS.get(count, 3)
    grid = figure.subplots(-(-count // columns), columns, squeeze=False).flatten()
    for unused in grid[count:]:
        unused.remove()
    return list(grid[:count])


def _look(number: int, label: str) -> dict[str, Any]:
    """Lines differ in colour, in shape and, after seven, in dashes; mpi is grey everywhere."""
    *apart, grey = (one.fill for one in colours([0] * 8))
    return {
        "color": grey if label == "mpi" else apart[number % len(apart)],
        "marker": _SHAPES[number % len(_SHAPES)],
        "linestyle": "-" if number < len(apart) else "--",
        "linewidth": 1.2,
        "markersize": 3.5,
    }


def _line_handles(looks: dict[str, dict[str, Any]]) -> Iterable[Line2D]:
    return [Line2D([], [], label=label, **look) for label, look in looks.items()]


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
            axes.vlines(xs, *ends, color=looks[line["label"]]["color"], linewidth=1)
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
    shown = list(places)
    if document["x"] != "distribution":
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        shown = [value for value in shown if value & (value - 1) == 0] or shown
        shown = shown[:: -(-len(shown) // _MOST_LABELS)]
    axes.xaxis.set_major_locator(FixedLocator([places[value] for value in shown]))
    axes.set_xticklabels([_word(value) for value in shown])
    axes.set_xlabel(_x_label(document))
    ys = [one["y"] for line in panel["lines"] for one in line["points"] if one["y"] is not None]
    if not ys:
        axes.text(0.5, 0.5, "at no length", transform=axes.transAxes, ha="center")
        axes.set_xlim(0.9 * min(places.values()), 1.1 * max(places.values()))
    elif min(ys) > 0:
        _log_scale(axes)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _log_scale(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(ticks(*axes.get_ylim())))
    axes.yaxis.set_minor_locator(NullLocator())


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, a handful of them however far that is."""
    if high / low < _NARROW:
        even = MaxNLocator(_MOST_TICKS - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return [float(f"{value:.9g}") for value in even if low <= value <= high]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in _STEPS:
        within = [step * 10.0**decade for decade in decades for step in steps]
        within = [value for value in within if low <= value <= high]
        if len(within) <= _MOST_TICKS:
            break
    return within[:: -(-len(within) // _MOST_TICKS)]


def _word(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if value.startswith("window:"):
        return str(100 - int(value.partition(":")[2]))
    return _SHORTEST[value]


def _x_label(document: Document) -> str:
    block = "N" if document["collective"] == "alltoallv" else "S"
    return {
        "bytes": f"{block}, bytes",
        "ranks": "P, ranks",
        "radix": "radix",
        "distribution": f"shortest block, % of {block}",
    }[document["x"]]
