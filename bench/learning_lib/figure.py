"""The regret over the number of calls. It needs the Python package and matplotlib."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from rondo import plot_style

from .calls import FIRST, START, TRIALS, Costs, capped_costs_of
from .runs import Measured
from .tables import run_costs

LEAST = 0.002  # what is less is drawn there
POINTS_A_DECADE = 20

Curve = Callable[[Costs, int], float]
REGRET = "regret, median and range"
CURVES: dict[str, Curve] = {
    REGRET: Costs.regret,
    f"without the {START}": Costs.regret_after_start,
    f"the part of the {FIRST}": lambda costs, calls: costs.part(FIRST, calls),
    f"the part of {TRIALS}": lambda costs, calls: costs.part(TRIALS, calls),
}


def places(count: int) -> list[int]:
    """Numbers of calls at even distances on a logarithmic axis, the last one `count`."""
    found = {count}
    step = 0
    while (calls := round(10 ** (step / POINTS_A_DECADE))) < count:
        found.add(calls)
        step += 1
    return sorted(found)


def draw(measured: Sequence[Measured], paths: Sequence[Path]) -> None:
    with plot_style.styled():
        looks = {
            label: {**look, "marker": ""} for label, look in plot_style.looks(list(CURVES)).items()
        }
        handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
        title = "How much longer auto takes than the best, from its first call on"
        width = plot_style.NARROW_INCHES
        figure, panels = plot_style.frame(len(measured), handles, title, width)
        for axes, one in zip(panels, measured):
            draw_panel(axes, one, looks)
            finish(axes, one)
    plot_style.save(figure, paths, has_dark=True)


def draw_panel(axes: Axes, measured: Measured, looks: dict[str, dict]) -> None:
    costs = [run_costs(run, capped_costs_of) for run in measured.runs]
    xs = places(min(len(one.best) for one in costs))
    for label, curve in CURVES.items():
        values = [[100 * max(curve(one, calls), LEAST) for one in costs] for calls in xs]
        axes.plot(xs, [statistics.median(some) for some in values], **looks[label])
        if label == REGRET:
            ends = [[min(some) for some in values], [max(some) for some in values]]
            plot_style.shade(axes, xs, ends, looks[label]["color"])


def finish(axes: Axes, measured: Measured) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda calls, _: f"{calls:,.0f}"))
    axes.set_ylim(bottom=100 * LEAST)
    plot_style.log_axis(axes, " %")
    axes.set_title(f"{measured.cell.title()}\nfirst {measured.cell.first}")
    axes.set_xlabel("calls")
