"""How the papers' printed numbers are drawn, and the best and the recommended radix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rondo.plot_style import INK, PAPER

Panel = dict[str, Any]
Mark = dict[str, Any]

_FILLED: dict[str, Any] = {
    "linestyle": "none",
    "marker": "*",
    "markersize": 10,
    "markeredgecolor": INK,
    "markerfacecolor": "grey",
}
_OPEN: dict[str, Any] = {**_FILLED, "markerfacecolor": PAPER, "markeredgewidth": 1.4}
_ALONG: dict[str, Any] = {"linestyle": (0, (4, 2)), "linewidth": 1.1}
ROOT: dict[str, Any] = {"linestyle": ":", "linewidth": 1.1, "color": INK}
_BEST: dict[str, Any] = {
    "marker": "o",
    "markersize": 9,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
}

# What a kind of number is called, and how it is drawn.
_KINDS = {
    "time": ("printed in the paper", _FILLED),
    "rounds": ("printed in the paper", _FILLED),
    "blocks": ("printed in the paper", _FILLED),
    "ratio": ("printed ratio × simulated time", _OPEN),
    "crossover": ("printed: longest 2^k at which it is faster", {**_ALONG, "color": INK}),
    "radix": ("printed best radix", {**_ALONG, "color": INK}),
    "mean": ("printed mean of all exchanges", {**_ALONG, "color": INK}),
    "saving": ("printed saving of a run, per exchange", {**_ALONG, "color": INK}),
}
_CROSSOVER_POINT = ("printed: longest 2^k at which it is faster", _FILLED)


def handles(panels: list[Panel]) -> list[Line2D]:
    """Of every kind of number that is drawn, once."""
    looks: dict[str, dict[str, Any]] = {}
    for panel in panels:
        for mark in panel["marks"]:
            if mark["kind"] != "gain":
                word, look = _look(mark)
                looks.setdefault(word, look)
        if panel["origin"] != "counted" and _has_radices(panel):
            looks.setdefault("best radix", {"linestyle": "none", **_BEST})
        if "root" in panel:
            looks.setdefault("the root of P", ROOT)
    return [Line2D([], [], label=word, **look) for word, look in looks.items()]


def draw_marks(
    axes: Axes, panel: Panel, factor: float, places: dict[Any, float], looks: dict[str, Any]
) -> None:
    """All printed numbers of a panel, in the colour of their line."""
    gains = []
    for mark in panel["marks"]:
        colour = looks[mark["line"]]["color"]
        if mark["kind"] == "gain":
            figures = f"{mark['value']:.2f} printed\n{mark['here']:.2f} here"
            gains.append(f"{mark['algorithm']}\n/ {mark['over']}, mean:\n{figures}")
        elif mark["x"] is None:
            axes.axhline(factor * mark["y"], **{**_ALONG, "color": colour})
        elif mark["y"] is None:
            axes.axvline(mark["x"], **{**_ALONG, "color": colour})
        else:
            _, look = _look(mark)
            tint = "markeredgecolor" if look is _OPEN else "markerfacecolor"
            axes.plot([places[mark["x"]]], [factor * mark["y"]], zorder=5, **{**look, tint: colour})
    if gains:
        axes.text(0.03, 0.95, "\n".join(gains), transform=axes.transAxes, va="top", fontsize=7)


def ring_best(axes: Axes, xs: Sequence[float], ys: Sequence[float]) -> None:
    """The radix at which the time is shortest, as the TRA paper marks it."""
    if ys:
        best = min(range(len(ys)), key=ys.__getitem__)
        axes.plot([xs[best]], [ys[best]], linestyle="none", **_BEST)


def _has_radices(panel: Panel) -> bool:
    return any("radix" in point for line in panel["lines"] for point in line["points"])


def _look(mark: Mark) -> tuple[str, dict[str, Any]]:
    is_point = mark["x"] is not None and mark["y"] is not None
    if mark["kind"] == "crossover" and is_point:
        return _CROSSOVER_POINT
    return _KINDS[mark["kind"]]
