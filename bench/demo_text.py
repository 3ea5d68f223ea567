"""What the demos of this project say, in lines that fit a terminal."""

import os
import shlex
import textwrap

WIDTH = 79
_INDENT = "    "
_CONTINUED = " \\"


def say(text: str) -> None:
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False))


def print_command(words: list[str]) -> None:
    """As a shell takes it; paths from here where they are shorter."""
    near = [min(word, os.path.relpath(word), key=len) if os.sep in word else word for word in words]
    room = WIDTH - len(_INDENT) - len(_CONTINUED)
    lines = [""]
    for word in map(shlex.quote, near):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    print("$ " + f"{_CONTINUED}\n{_INDENT}".join(lines), flush=True)


def print_columns(lines: list[list[str]], numbers: set[int]) -> None:
    """One under the other; those whose place is among `numbers` lean right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        print("  ".join(cells).rstrip())
