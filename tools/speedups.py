#!/usr/bin/env python3
"""Draw docs/figures/speedups.svg: how much faster than MPI_Alltoallv exchanges are here.

The figures are those of two tables in docs/results.md. It needs matplotlib; `make figures` has it.
"""

import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple, Optional

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools/website"))

from measured import Section, Table, sections  # noqa: E402

RESULTS = SOURCE / "docs/results.md"
FIGURE = SOURCE / "docs/figures/speedups.svg"
SECTION = "The node and several nodes"
TITLE = "How many times as fast: Rondo's node_aware, uneven blocks"
CAPTION_WIDTH = 138  # characters
# Of Okabe and Ito: told apart with any kind of colour vision.
BLUE, ORANGE, INK, QUIET = "#0072B2", "#D55E00", "#1f2328", "#59636e"


class Bar(NamedTuple):
    """Figures are as the results print them."""

    label: str
    over_library: str
    over_others: Optional[str]  # the fastest other algorithm of the same run


def _first_number(cell: str) -> Optional[str]:
    found = re.match(r"\d+(?:\.\d+)?", cell)
    return found[0] if found else None


def _lengths(sizes: str) -> str:
    """16:4096 and 16,64,256 as a reader says them."""
    first, *_, last = (_bytes(word) for word in re.split("[:,]", sizes))
    number, unit = first.split()
    return f"{number} to {last}" if last.endswith(unit) else f"{first} to {last}"


def _bytes(word: str) -> str:
    number = int(word.rstrip("k")) * (1024 if word.endswith("k") else 1)
    return f"{number // 1024} KiB" if number >= 1024 else f"{number} bytes"


def _table(section: Section, words: str) -> Table:
    return next(table for table in section.tables if words in table.before)


def bars(text: str) -> list[Bar]:
    """The rows of the plot, from the text of docs/results.md."""
    (section,) = (one for one in sections(text) if one.title == SECTION)
    found = []
    for ranks, sizes, library, others, *_ in _table(section, "on one node").rows:
        label = f"{ranks} ranks, 1 node\n{_lengths(sizes)}"
        found.append(Bar(label, _first_number(library), _first_number(others)))
    for sizes, library, others in _table(section, "on 4 nodes").rows:
        if re.fullmatch(r"[\d,:k]+", sizes):  # the others are of another distribution
            label = f"32 ranks, 4 nodes\n{_lengths(sizes)}"
            found.append(Bar(label, _first_number(library), _first_number(others)))
    return found


def machine(text: str) -> str:
    """The sentence of docs/results.md that says where its figures come from."""
    found = re.search(r"^Machine: ([^.]*(?:\.\d[^.]*)*)\.", text, re.M)
    return " ".join(found[1].split())


def draw(text: str, path: Path) -> None:
    import matplotlib

    matplotlib.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "rondo", "font.size": 11, "text.color": INK}
    )
    from matplotlib.figure import Figure

    rows = bars(text)
    figure = Figure(figsize=(9, 0.62 * len(rows) + 1.9))
    axes = figure.add_axes((0.21, 0.2, 0.75, 0.66))
    for place, row in enumerate(rows):
        _draw_row(axes, place, row)
    axes.axvline(1, color=INK, linewidth=1)
    axes.text(1, -0.75, "equally fast", ha="center", fontsize=9, color=QUIET)
    axes.set(xscale="log", xlim=(0.9, 20), ylim=(len(rows) - 0.4, -0.6))
    axes.set_yticks(range(len(rows)), [row.label for row in rows], fontsize=9)
    ticks = [1, 2, 4, 8, 16]
    axes.set_xticks(ticks, [f"{tick}×" for tick in ticks])
    axes.minorticks_off()
    axes.tick_params(length=0, colors=INK)
    axes.grid(axis="x", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    figure.text(0.02, 0.945, TITLE, fontsize=14, weight="bold")
    _draw_legend(figure)
    figure.text(0.02, 0.035, _caption(text), fontsize=8.5, color=QUIET)
    figure.savefig(path, facecolor="white", metadata={"Date": None})


def _draw_row(axes, place: int, row: Bar) -> None:
    for shift, value, colour in ((-0.19, row.over_library, BLUE), (0.19, row.over_others, ORANGE)):
        if value is not None:
            axes.barh(place + shift, float(value) - 1, 0.34, left=1, color=colour)
            axes.text(float(value) * 1.02, place + shift, f"{value}×", va="center", fontsize=9)


def _draw_legend(figure) -> None:
    for left, colour, words in (
        (0.21, BLUE, "than the MPI library's MPI_Alltoallv"),
        (0.58, ORANGE, "than the fastest other algorithm of the run"),
    ):
        figure.text(left, 0.125, "■", color=colour, fontsize=12)
        figure.text(left + 0.022, 0.127, words, fontsize=9.5)


def _caption(text: str) -> str:
    words = (
        f"Measured on {machine(text)}. Ranks share the cores, so messages and switches are "
        "measured, and no network: the 4 nodes are namespaces of this machine, with TCP between "
        "them. From docs/results.md."
    )
    return textwrap.fill(words, CAPTION_WIDTH)


def main():
    draw(RESULTS.read_text(encoding="utf-8"), FIGURE)
    print(FIGURE.relative_to(SOURCE))


if __name__ == "__main__":
    main()
