"""Plots of rondo-bench's measurements with matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Callable

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rondo import plot_style as style
from rondo import registry
from rondo.regions import cover
from rondo.results import MPI, Group, Interval, Point, Times
from rondo.show.palette import ink

# What the plots show; {mpi} is the call that Rondo is compared with.
_TIME = "median time; the line mpi is {mpi}"
_SPEEDUP = "how many times as fast as {mpi}"
_BEST = "how many times as fast as {mpi} Rondo's fastest algorithm is"
_REGIONS = "the fastest algorithm, and how many times as fast as {mpi} it is"
_S = "S, length of the longest block"
_MOST_COLUMNS = 9  # of a map that have labels
_MOST_WRITTEN = 14  # columns of a map in whose cells numbers still fit
_LEAST_BOUND = 0.5  # of a colour bar, as a power of two

Cell = tuple[int, int]
Looks = dict[str, dict[str, Any]]  # by algorithm, of the lines that are drawn
Curve = Callable[[str, Point], Interval]  # what is drawn of an algorithm at a point


def time_against_size(group: Group, times: Times) -> Figure:
    """Median time against S, a panel for each P."""
    looks = _looks(group, times)
    figure, panels = _panels(_title(group, times, _TIME), looks, len(times.ranks))
    for axes, ranks in zip(panels, times.ranks):
        points = {size: Point(ranks, size) for size in times.sizes}
        _lines(axes, times, looks, points, _time_of(times))
        _finish_time(axes, f"P = {ranks}")
        _size_axis(axes, times)
    return figure


def time_against_ranks(group: Group, times: Times) -> Figure:
    """Median time against P, a panel for each S."""
    looks = _looks(group, times)
    figure, panels = _panels(_title(group, times, _TIME), looks, len(times.sizes))
    for axes, size in zip(panels, times.sizes):
        points = {ranks: Point(ranks, size) for ranks in times.ranks}
        _lines(axes, times, looks, points, _time_of(times))
        _finish_time(axes, f"S = {style.size_text(size)}")
        style.log2_axis(axes, times.ranks, is_size=False)
        axes.set_xlabel("P, ranks")
    return figure


def speedup_against_size(group: Group, times: Times) -> Figure:
    """How many times as fast as the MPI library, against S, a panel for each P."""
    looks = {name: look for name, look in _looks(group, times).items() if name != MPI}
    figure, panels = _panels(_title(group, times, _SPEEDUP), looks, len(times.ranks))
    for axes, ranks in zip(panels, times.ranks):
        points = {size: Point(ranks, size) for size in times.sizes}
        _lines(axes, times, looks, points, times.speedup)
        axes.axhline(1, color=style.INK, linewidth=0.8)
        axes.set(title=f"P = {ranks}", ylabel="speedup")
        style.log_axis(axes, "×")
        _size_axis(axes, times)
    return figure


def speedup_map(group: Group, times: Times) -> Figure:
    """Over S and P, the MPI library's time over that of Rondo's fastest algorithm.

    Speedups whose interval includes 1 have the colour of 1.
    """
    figure, (axes,) = style.frame(1, [], _title(group, times, _BEST))
    best = {cell: _best(times, point) for cell, point in _cells(times).items()}
    known = {cell: one for cell, one in best.items() if one is not None}
    shades = np.full((len(times.ranks), len(times.sizes)), np.nan)
    for cell, one in known.items():
        shades[cell] = 0.0 if one.low <= 1 <= one.high else np.log2(one.value)
    bound = max(np.nanmax(np.abs(shades), initial=0.0), _LEAST_BOUND)
    image = axes.imshow(
        shades, cmap="PuOr_r", vmin=-bound, vmax=bound, origin="lower", aspect="auto"
    )
    for cell, one in known.items():
        red, green, blue, _ = image.cmap(image.norm(shades[cell]))
        _write(axes, times, cell, f"{one.value:.2f}", matplotlib.colors.to_hex((red, green, blue)))
    _label_cells(axes, times)
    label = "speedup; white if its interval includes 1"
    bar = figure.colorbar(image, ax=axes, label=label)
    shown = [-bound, 0.0, bound] if bound < 1 else range(-int(bound), int(bound) + 1)
    bar.set_ticks(list(shown), labels=[f"{2.0**value:.2g}×" for value in shown])
    return figure


def region_map(group: Group, times: Times) -> Figure:
    """The fastest algorithm over S and P: the empirical map of HPDC 2022, figure 9.

    If intervals overlap that of the fastest, a cell shows the algorithm that so serves most cells.
    """
    points = _cells(times)
    tied = {point: times.tied(point) for point in points.values()}
    taken = cover({point: names for point, names in tied.items() if names}, times.excess)
    names = [name for name in times.algorithms if name in taken.values()]
    fills = style.fills(names, times.algorithms, _known(group))
    handles = [Patch(color=fills[name], label=name) for name in names]
    figure, (axes,) = style.frame(1, handles, _title(group, times, _REGIONS))
    grid = np.full((len(times.ranks), len(times.sizes)), np.nan)
    for cell, point in points.items():
        if point in taken:
            grid[cell] = names.index(taken[point])
    colours = matplotlib.colors.ListedColormap([fills[name] for name in names])
    axes.imshow(grid, cmap=colours, vmin=-0.5, vmax=len(names) - 0.5, origin="lower", aspect="auto")
    for cell, point in points.items():
        if taken.get(point, MPI) != MPI:
            speedup = times.at(point)[taken[point]].speedup
            _write(axes, times, cell, f"{speedup:.2f}×", fills[taken[point]])
    _label_cells(axes, times)
    axes.set_xticks(np.arange(0.5, len(times.sizes) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(times.ranks) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0)
    return figure


PLOTS: dict[str, Callable[[Group, Times], Figure]] = {
    "size": time_against_size,
    "ranks": time_against_ranks,
    "speedup": speedup_map,
    "speedup-size": speedup_against_size,
    "regions": region_map,
}


class Plot:
    """A figure of matplotlib, which a notebook shows and which can be saved.

    Parameters
    ----------
    figure
        The figure, 1200 pixels wide.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> Plot(Figure(figsize=(8, 3)))
    Plot(8.0 x 3.0 inches)
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def save(self, path: str | Path) -> Path:
        """Write the figure to a file.

        Parameters
        ----------
        path
            Its suffix says how: .png, .svg or .pdf.

        Returns
        -------
        Path
            The path.
        """
        style.save(self.figure, [Path(path)])
        return Path(path)

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        self.figure.savefig(image, format="png", dpi=style.PER_INCH, facecolor="white")
        return image.getvalue()

    def __repr__(self) -> str:
        across, up = self.figure.get_size_inches()
        return f"Plot({across:.1f} x {up:.1f} inches)"


def draw(group: Group, times: Times, kind: str) -> Plot:
    """One plot of one group, one of PLOTS."""
    with style.styled():
        return Plot(PLOTS[kind](group, times))


def write(group: Group, times: Times, kind: str, folder: Path, suffix: str) -> Path:
    """Draw one plot of one group into `folder` and return the file's path."""
    return draw(group, times, kind).save(folder / f"{group.file_stem()}-{kind}.{suffix}")


def _title(group: Group, times: Times, words: str) -> str:
    lines = [group.title(), words.format(mpi=group.against()), times.disturbed()]
    return "\n".join(filter(None, lines))


def _known(group: Group) -> list[str]:
    """All algorithms of the collective, in the order of the registry."""
    rows = [*registry.algorithms(), *registry.sparse_algorithms()]
    collective = group.collective.removesuffix("_plan")
    names = [row.name for row in rows if row.collective == collective]
    return names or [row.name for row in rows if row.collective == "alltoallv"]


def _looks(group: Group, times: Times) -> Looks:
    return style.looks(times.algorithms, _known(group))


def _panels(title: str, looks: Looks, count: int) -> tuple[Figure, list[Axes]]:
    handles = [Line2D([], [], label=name, **look) for name, look in looks.items()]
    return style.frame(count, handles, title)


def _time_of(times: Times) -> Curve:
    def median(name: str, point: Point) -> Interval:
        one = times.by_algorithm[name][point]
        return Interval(one.microseconds, one.low, one.high)

    return median


def _lines(axes: Axes, times: Times, looks: Looks, points: dict[int, Point], curve: Curve) -> None:
    """A line with its interval for each algorithm, alike on every panel."""
    for name, look in looks.items():
        measured = times.by_algorithm[name]
        known = {value: curve(name, point) for value, point in points.items() if point in measured}
        values = list(known)
        axes.plot(values, [one.value for one in known.values()], label=name, **look)
        ends = [[one.low for one in known.values()], [one.high for one in known.values()]]
        style.shade(axes, values, ends, look["color"])
    axes.grid(alpha=0.3)


def _finish_time(axes: Axes, title: str) -> None:
    axes.set(title=title, ylabel="median, µs")
    style.log_axis(axes)


def _size_axis(axes: Axes, times: Times) -> None:
    style.log2_axis(axes, times.sizes, is_size=True)
    axes.set_xlabel(_S)


def _best(times: Times, point: Point) -> Interval | None:
    """The greatest speedup of Rondo's algorithms at a point."""
    speedups = [times.speedup(name, point) for name in times.at(point) if name != MPI]
    return max(speedups, default=None)


def _cells(times: Times) -> dict[Cell, Point]:
    return {
        (row, column): Point(ranks, size)
        for row, ranks in enumerate(times.ranks)
        for column, size in enumerate(times.sizes)
    }


def _write(axes: Axes, times: Times, cell: Cell, text: str, fill: str) -> None:
    row, column = cell
    if len(times.sizes) <= _MOST_WRITTEN:
        axes.text(column, row, text, ha="center", va="center", fontsize=7.5, color=ink(fill))


def _label_cells(axes: Axes, times: Times) -> None:
    across = style.few(list(enumerate(times.sizes)), _MOST_COLUMNS)
    axes.set_xticks([at for at, _ in across], [style.size_text(size) for _, size in across])
    up = style.few(list(enumerate(times.ranks)), _MOST_COLUMNS)
    axes.set_yticks([at for at, _ in up], [str(ranks) for _, ranks in up])
    axes.set(xlabel=_S, ylabel="P, ranks")
