"""Plots of rondo-bench's measurements with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Callable

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rondo.results import Group, Point, Times

_MPI = "mpi"


def time_against_size(times: Times) -> Figure:
    """Median time against S, a panel for each P."""
    figure, panels = _panels(len(times.ranks))
    for axes, ranks in zip(panels, times.ranks):
        _lines(axes, times, {size: Point(ranks, size) for size in times.sizes})
        axes.set(title=f"P = {ranks}", xlabel="S, bytes")
    return _with_legend(figure, panels, times)


def time_against_ranks(times: Times) -> Figure:
    """Median time against P, a panel for each S."""
    figure, panels = _panels(len(times.sizes))
    for axes, size in zip(panels, times.sizes):
        _lines(axes, times, {ranks: Point(ranks, size) for ranks in times.ranks})
        axes.set(title=f"S = {size} bytes", xlabel="P, ranks")
    return _with_legend(figure, panels, times)


def speedup_map(times: Times) -> Figure:
    """Over S and P, the MPI library's time over that of Rondo's fastest algorithm."""
    ratios = np.full((len(times.ranks), len(times.sizes)), np.nan)
    for (row, column), point in _cells(times):
        speedups = [one.speedup for name, one in times.at(point).items() if name != _MPI]
        ratios[row, column] = max(speedups, default=np.nan)
    figure, (axes,) = _panels(1)
    bound = max(np.nanmax(np.abs(np.log2(ratios)), initial=0.0), 0.5)
    image = axes.imshow(
        np.log2(ratios), cmap="RdYlGn", vmin=-bound, vmax=bound, origin="lower", aspect="auto"
    )
    for (row, column), ratio in np.ndenumerate(ratios):
        if not np.isnan(ratio):
            axes.text(column, row, f"{ratio:.2f}", ha="center", va="center", fontsize=8)
    _label_cells(axes, times)
    figure.colorbar(image, ax=axes, label="log2 of the speedup against MPI")
    return figure


def region_map(times: Times) -> Figure:
    """The fastest algorithm over S and P: the empirical map of HPDC 2022, figure 9."""
    winners = {cell: times.fastest(point) for cell, point in _cells(times)}
    names = [name for name in times.algorithms if name in winners.values()]
    number = {name: index for index, name in enumerate(names)}
    grid = np.full((len(times.ranks), len(times.sizes)), np.nan)
    for cell, name in winners.items():
        if name is not None:
            grid[cell] = number[name]
    figure, (axes,) = _panels(1)
    colours = colormaps["tab20"]
    axes.imshow(grid, cmap=colours, vmin=0, vmax=colours.N - 1, origin="lower", aspect="auto")
    handles = [Patch(color=colours(number[name]), label=name) for name in names]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), title="fastest")
    _label_cells(axes, times)
    return figure


PLOTS: dict[str, Callable[[Times], Figure]] = {
    "size": time_against_size,
    "ranks": time_against_ranks,
    "speedup": speedup_map,
    "regions": region_map,
}


def write(group: Group, times: Times, kind: str, folder: Path, suffix: str) -> Path:
    """Draw one plot of one group into `folder` and return the file's path."""
    figure = PLOTS[kind](times)
    figure.suptitle(group.title())
    path = folder / f"{group.file_stem()}-{kind}.{suffix}"
    figure.savefig(path, bbox_inches="tight")
    return path


def _panels(count: int) -> tuple[Figure, Sequence[Axes]]:
    columns = min(count, 3)
    rows = -(-count // columns)
    figure = Figure(figsize=(5 * columns, 3.6 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for unused in panels[count:]:
        unused.remove()
    return figure, list(panels[:count])


def _lines(axes: Axes, times: Times, points: dict[int, Point]) -> None:
    """A line for each algorithm, in the same colour on every panel."""
    for number, (algorithm, measured) in enumerate(times.by_algorithm.items()):
        values = [value for value, point in points.items() if point in measured]
        axes.plot(
            values,
            [measured[points[value]].microseconds for value in values],
            marker=".",
            color="black" if algorithm == _MPI else f"C{number % 10}",
            linestyle="-" if number < 10 else "--",
            label=algorithm,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylabel("median, microseconds")
    axes.grid(alpha=0.3)


def _with_legend(figure: Figure, panels: Sequence[Axes], times: Times) -> Figure:
    handles, labels = panels[0].get_legend_handles_labels()
    columns = min(len(times.algorithms), 4)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    return figure


def _cells(times: Times) -> list[tuple[tuple[int, int], Point]]:
    return [
        ((row, column), Point(ranks, size))
        for row, ranks in enumerate(times.ranks)
        for column, size in enumerate(times.sizes)
    ]


def _label_cells(axes: Axes, times: Times) -> None:
    axes.set_xticks(range(len(times.sizes)), [str(size) for size in times.sizes])
    axes.set_yticks(range(len(times.ranks)), [str(ranks) for ranks in times.ranks])
    axes.set(xlabel="S, bytes", ylabel="P, ranks")
