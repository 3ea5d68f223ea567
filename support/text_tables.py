"""Lines of cells as a table, for a terminal and in Markdown."""

from collections.abc import Collection

Lines = list[list[str]]


def columns(lines: Lines, numbers: Collection[int]) -> str:
    """Aligned columns; those whose index is in `numbers` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "".join(
        "  ".join(
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        + "\n"
        for line in lines
    )


def markdown(lines: Lines, numbers: Collection[int] = ()) -> str:
    """A Markdown table; the first line is the heading."""
    rule = ["---:" if i in numbers else "---" for i in range(len(lines[0]))]
    return "".join(f"| {' | '.join(line)} |\n" for line in [lines[0], rule, *lines[1:]])
