#!/usr/bin/env python3
"""Draw docs/figures/speedups.svg: how much faster exchanges are than those of MPI libraries.

speedups.py [FILE]...

Draws FILEs instead, each as its suffix says: .svg or .png. The figures are those of a table in
docs/results/node.md. It needs the Python package and matplotlib; `make figures` has them.
"""

import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple, Optional

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools/website"))

from measured import Section, Table, pages  # noqa: E402

RESULTS = SOURCE / "docs/results.md"
FIGURE = SOURCE / "docs/figures/speedups.svg"
TITLE = "Rondo against MPI libraries, a core for each rank:"
SUBTITLE = "how many times as fast, blocks of 16 bytes to 16 KiB"
CALLS = "MPI_Alltoall, MPI_Alltoallv"
CAPTION_WIDTH = 64  # characters
HEIGHT = 0.3  # of half a row


class Figure(NamedTuple):
    """As the results print it."""

    value: str
    low: Optional[str] = None  # the range of several runs
    high: Optional[str] = None


class Bar(NamedTuple):
    """One exchange."""

    label: str
    figure: Figure


def _figure(cell: str) -> Optional[Figure]:
    """The first number of a cell, and its range if there is one."""
    found = re.match(r"(\d+(?:\.\d+)?)(?: \((\d[\d.]*)-(\d[\d.]*)\))?", cell)
    return Figure(*found.groups()) if found else None


def _table(results: list[Section], page: str, words: str) -> Table:
    """The table of that page after a paragraph with these words."""
    tables = [table for one in results if one.page == page for table in one.tables]
    return next(table for table in tables if words in table.before)


def bars(results: list[Section]) -> list[Bar]:
    """The rows of the plot, from the pages of results."""
    found = []
    for call, library, ranks, short, _ in _table(results, "node", "over that of `auto`").rows:
        if call == CALLS and "copies twice" not in library:
            label = f"{library.removesuffix(', copies once')}\n{ranks} ranks"
            found.append(Bar(label, _figure(short)))
    return found


def machine(text: str) -> str:
    """What docs/results.md says of the machine."""
    return re.search(r"^\*\*The sixteen cores\*\*: ([^.]*)\.", text, re.M)[1].replace("\n", " ")


def draw(text: str, paths: list[Path]) -> None:
    from rondo import plot_style as style

    with style.styled():
        style.save(_drawn(text, style), paths, has_dark=True)


def _drawn(text: str, style):
    from matplotlib.figure import Figure as Drawing

    rows = bars(pages())
    figure = Drawing(figsize=(style.NARROW_INCHES, 0.42 * len(rows) + 1.9), dpi=style.PER_INCH)
    axes = figure.add_axes((0.31, 0.24, 0.62, 0.58))
    for place, row in enumerate(rows):
        _draw_figure(axes, place, row.figure, style.BLUE, style.INK)
    axes.axvline(1, color=style.INK, linewidth=1)
    axes.text(1, -0.75, "equally fast", ha="center", fontsize=9, color=style.QUIET)
    axes.set(xscale="log", xlim=(0.9, 20), ylim=(len(rows) - 0.4, -0.6))
    axes.set_yticks(range(len(rows)), [row.label for row in rows], fontsize=9)
    ticks = [1, 2, 4, 8, 16]
    axes.set_xticks(ticks, [f"{tick}×" for tick in ticks], fontsize=9)
    axes.minorticks_off()
    axes.tick_params(length=0, colors=style.INK)
    axes.grid(axis="x", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    figure.text(0.02, 0.945, TITLE, fontsize=11, weight="bold")
    figure.text(0.02, 0.895, SUBTITLE, fontsize=11)
    figure.text(0.02, 0.025, _caption(text), fontsize=8.5, color=style.QUIET)
    return figure


def _draw_figure(axes, place: float, figure: Figure, colour: str, ink: str) -> None:
    """A bar from 1, with the range of the runs where the results have it."""
    value = float(figure.value)
    axes.barh(place, value - 1, 2 * HEIGHT * 0.9, left=1, color=colour)
    right = value
    if figure.low and figure.high:
        right = float(figure.high)
        axes.plot([float(figure.low), right], [place, place], color=ink, linewidth=1, marker="|")
    axes.text(right * 1.03, place, f"{figure.value}×", va="center", fontsize=9)


def _caption(text: str) -> str:
    words = (
        f"{CALLS.replace(',', ' and')} on {machine(text)}. Geometric means over lengths and kinds "
        "of lengths; lines are their range. Open MPI 4.1.4 copies long messages once."
    )
    return textwrap.fill(words, CAPTION_WIDTH)


def main():
    paths = [Path(name) for name in sys.argv[1:]] or [FIGURE]
    draw(RESULTS.read_text(encoding="utf-8"), paths)
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
