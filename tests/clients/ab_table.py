"""The table that compares --ab with whole runs."""

import statistics
import sys

from whole_runs import LIBRARY, RONDO
from workspace import SOURCE

sys.path.append(str(SOURCE / "support"))

from bootstrap import interval_of_median  # noqa: E402

ANSWERS = {True: "yes", False: "no", None: ""}


def ratios(pairs):
    """The program's speedup with Rondo in each pair of runs."""
    return [pair[LIBRARY] / pair[RONDO] for pair in pairs]


def contains(report, ratio):
    """Whether the interval of --ab contains the ratio of whole runs; None if it gave none."""
    if report["interval"] is None:
        return None
    low, high = report["interval"]
    return low <= ratio <= high


def text(cells):
    """Markdown, and how often the interval contains the ratio."""
    lines = [
        "| program | place | exchanges | whole runs | `--ab` | contains |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    answers = []
    for cell in cells:
        start = f"| {cell['program']} | {cell['place']}"
        if "pairs" not in cell:
            lines.append(f"{start} | | {_why(cell)} | | |")
            continue
        values = ratios(cell["pairs"])
        ratio, whole = statistics.median(values), figure(values)
        for report in cell["ab"]:
            answers.append(contains(report, ratio))
            words, answer = said(report), ANSWERS[answers[-1]]
            lines.append(f"{start} | {report['exchanges']} | {whole} | {words} | {answer} |")
    given = [answer for answer in answers if answer is not None]
    summary = (
        f"The interval of --ab contains the ratio of whole runs in {sum(given)} of {len(given)}"
    )
    without = len(answers) - len(given)
    return "\n".join([*lines, "", f"{summary}; {without} without an interval."])


def _why(cell):
    """Nothing was measured."""
    said = cell.get("failed") or f"skipped: {cell['skipped']}"
    return said.splitlines()[0]


def figure(values):
    """Of whole runs: the median of the pairs, with its interval."""
    low, high = interval_of_median(values)
    return f"{statistics.median(values):.3f} ({low:.3f}-{high:.3f})"


def said(report):
    """The figure of --ab, with its interval."""
    if report["interval"] is None:
        return report["figure"]
    low, high = report["interval"]
    return f"{report['figure']} ({low:.3f}-{high:.3f})"
