"""How all plots look: width, colours, lines, intervals, ticks and files. It needs matplotlib."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from rondo import files
from rondo.results import AUTO, MPI
from rondo.show.palette import APART, colours

*_APART_FROM_MPI, GREY = APART  # grey is the MPI library's own call
EMPHASISED = (AUTO, MPI)  # what programs get with Rondo and without
BLUE, ORANGE = APART[0], APART[5]
INK, QUIET = "#1f2328", "#59636e"  # of text
PAPER, SHADED = "#ffffff", "#f0f0f0"
# The colours of a dark page, for those of a light one.
_DARK = {
    PAPER: "#0d1117",
    SHADED: "#21262d",
    INK: "#e6edf3",
    QUIET: "#9198a1",
    GREY.lower(): "#b1bac4",
}

WIDTH_INCHES, PER_INCH = 8.0, 150
NARROW_INCHES = 4.6  # letters stay large enough on a phone
PIXELS = 1200  # across, of an image
_PANEL_INCHES, _LEAST_PANELS_INCHES = 2.1, 2.9
_HEAD_INCHES, _LEGEND_ROW_INCHES = 0.9, 0.2
_COLUMNS = {1: 1, 2: 2, 4: 2, 5: 2}  # of as many panels; of others three
_LEGEND_LETTERS, _MOST_LEGEND_COLUMNS = 13, 4  # an inch, and in all
_MOST_LABELS, _MOST_TICKS = 5, 7  # along x and y of a panel
_LABELS_PER_INCH = 2
_FEWEST_POWERS = 3  # of two, along y
_NARROW = 3.0  # high / low below which ticks are at even distances
_STEPS = ([1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1])  # of a decade, from many to few
_SHAPES = "osv^DPXd"
_MARGIN = 0.05  # of the length of an axis, at its ends
_SHADE = 0.2  # how much of the colour of its line an interval has
_STYLE: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 8,
    "figure.titlesize": 9,
    "font.sans-serif": ["DejaVu Sans"],
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,  # a name may have a $
    "svg.fonttype": "none",  # text as text: small files
    "svg.hashsalt": "rondo",  # the same file each time
}


def styled(**more: Any) -> AbstractContextManager[None]:
    """A context in which figures are drawn and written in this style."""
    settings: Any = {**_STYLE, **more}
    return matplotlib.rc_context(settings)


def looks(labels: Sequence[str], known: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Lines differ in colour, in shape and, after seven, in dashes; those of EMPHASISED are thick.

    A name of `known` looks alike whatever else is drawn.
    """
    # `auto` has the first colour, also where it is not drawn; what is not known follows what is.
    first = [AUTO, *known] if known else []
    order = [name for name in dict.fromkeys([*first, *labels]) if name != MPI]
    return {label: _look(0 if label == MPI else order.index(label), label) for label in labels}


def _look(number: int, label: str) -> dict[str, Any]:
    is_solid = number < len(_APART_FROM_MPI)
    return {
        "color": GREY if label == MPI else _APART_FROM_MPI[number % len(_APART_FROM_MPI)],
        "marker": _SHAPES[number % len(_SHAPES)],
        "linestyle": "-" if is_solid else "--",
        "linewidth": 2.2 if label in EMPHASISED else 1.0,
        "markersize": 3.5,
    }


def fills(labels: Sequence[str], lines: Sequence[str], known: Sequence[str] = ()) -> dict[str, str]:
    """A colour for each area of a map: that of its line, if these differ."""
    of_lines = {
        label: look["color"] for label, look in looks(lines, known).items() if label in labels
    }
    if len(set(of_lines.values())) == len(labels):
        return of_lines
    others = [label for label in labels if label != MPI]
    shades = _APART_FROM_MPI
    if len(others) > len(shades):
        # One more than those that are apart lie on a scale.
        shades = [one.fill for one in colours([0] * max(len(others), len(APART) + 1))]
    return {MPI: GREY, **dict(zip(others, shades))}


def frame(
    panels: int, handles: Sequence[Artist], title: str, width: float = WIDTH_INCHES
) -> tuple[Figure, list[Axes]]:
    """A figure with as many panels, its title above and its legend below them."""
    letters = max((len(str(handle.get_label())) for handle in handles), default=0)
    columns = int(_LEGEND_LETTERS * width) // (letters + 6)
    columns = min(_MOST_LEGEND_COLUMNS, max(1, columns))
    across = _COLUMNS.get(panels, 3)
    height = _HEAD_INCHES + max(_PANEL_INCHES * -(-panels // across), _LEAST_PANELS_INCHES)
    height += _LEGEND_ROW_INCHES * -(-len(handles) // columns)
    figure = Figure(figsize=(width, height), dpi=PER_INCH, layout="constrained")
    grid = figure.subplots(-(-panels // across), across, squeeze=False).flatten()
    for unused in grid[panels:]:
        unused.remove()
    figure.suptitle(title)
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure, list(grid[:panels])


def label_edges(panels: Sequence[Axes]) -> None:
    """Axes that panels share are labelled at the left of each row and below the last one."""
    for place, axes in enumerate(panels):
        across = _across(axes)
        if place % across:
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)
        if place + across < len(panels):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)


def shade(axes: Axes, xs: Sequence[float], ends: Sequence[Sequence[float]], colour: str) -> None:
    """The interval around a line, from its low ends to its high ends."""
    low, high = ends
    axes.fill_between(xs, low, high, color=colour, alpha=_SHADE, linewidth=0)
    if len(xs) == 1:  # no area
        axes.vlines(xs, low, high, color=colour, linewidth=1)


def size_text(size: int) -> str:
    """A length with its unit, as in 64 B and 4 KiB."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def few(values: Sequence[Any], most: int = _MOST_LABELS) -> list[Any]:
    """At most `most` of the values, evenly spaced."""
    return list(values[:: -(-len(values) // most)])


def powers_of_two(values: Iterable[int], most: int = _MOST_LABELS) -> list[int]:
    """The values to label: powers of two if there are any."""
    ascending = sorted(values)
    return few([one for one in ascending if one > 0 and one & (one - 1) == 0] or ascending, most)


def log2_axis(axes: Axes, values: Iterable[int], is_size: bool) -> None:
    """Along x: lengths with units, or numbers of ranks. A length of 0 is left out if it can be."""
    drawn = sorted(value for value in values if value > 0)
    if not drawn:
        axes.set_xticks([0], [size_text(0)])
        return
    shown = powers_of_two(drawn, _most_labels(axes))
    margin = max(drawn[-1] / drawn[0], 2.0) ** _MARGIN
    axes.set_xscale("log", base=2)
    axes.set_xlim(drawn[0] / margin, drawn[-1] * margin)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.set_xticklabels([size_text(one) if is_size else str(one) for one in shown])


def _most_labels(axes: Axes) -> int:
    """How many labels fit along x."""
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    return min(_MOST_LABELS, int(_LABELS_PER_INCH * figure.get_figwidth() / _across(axes)))


def _across(axes: Axes) -> int:
    """How many panels stand side by side."""
    place = axes.get_subplotspec()
    assert place is not None
    return int(place.get_gridspec().ncols)


def log_axis(axes: Axes, unit: str = "") -> None:
    """Along y: round numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(ticks(*axes.get_ylim())))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}{unit}"))


def size_axis(axes: Axes) -> None:
    """Along y: powers of two with units, where there are some."""
    axes.set_yscale("log", base=2)
    low, high = axes.get_ylim()
    powers = [1 << power for power in range(64) if low <= 1 << power <= high]
    if len(powers) < _FEWEST_POWERS:
        log_axis(axes, " B")
        return
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator(few(powers, _MOST_TICKS)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: size_text(round(value))))


def ticks(low: float, high: float) -> list[float]:
    """A few round numbers from `low` to `high`."""
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


def save(figure: Figure, paths: Iterable[Path], has_dark: bool = False) -> None:
    """Write the figure to these files, each as its suffix says; the same figure, the same file.

    With `has_dark` an SVG has other colours where the reader's system is dark.
    """
    with styled():
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # all files have the layout that it has now
        for path in paths:
            undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
            metadata = undated.get(path.suffix[1:], {})
            per_inch = PIXELS / figure.get_figwidth()
            drawn = io.BytesIO()
            form = path.suffix[1:] or None
            figure.savefig(drawn, format=form, dpi=per_inch, metadata=metadata, facecolor=PAPER)
            content = drawn.getvalue()
            if has_dark and path.suffix == ".svg":
                content = _with_dark(content.decode("utf-8")).encode("utf-8")
            files.write(path, content)


def _with_dark(svg: str) -> str:
    rules = "".join(
        f'[style*="{what}: {light}"] {{{what}: {dark} !important}}\n'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    return svg.replace(
        "</style>", f"\n@media (prefers-color-scheme: dark) {{\n{rules}}}</style>", 1
    )
