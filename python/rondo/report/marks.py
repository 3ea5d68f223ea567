"""A letter and a colour for each algorithm that the page tells of, the same everywhere on it."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from rondo.results import AUTO, MPI
from rondo.show.palette import Colour, colours

_MOST_COLOURS = 8
# The MPI library and auto have their own; no letter of others looks like them.
_OWN = {MPI: "M", AUTO: "*"}
_LETTERS = [letter for letter in string.ascii_uppercase if letter not in "IMO"]
_DASHES = ("", "6 3", "2 3", "9 3 2 3", "1 2", "12 4", "4 2 1 2", "8 2")


class Mark(NamedTuple):
    letter: str
    number: int | None  # of its colour; None for those that have the colour of text
    dashes: str  # of its line

    @property
    def style(self) -> str:
        return "plain" if self.number is None else f"colour{self.number}"


def marks_of(taken: Iterable[str]) -> dict[str, Mark]:
    """By algorithm; those that take the most cases come first."""
    names = [name for name, _ in Counter(taken).most_common() if name not in _OWN]
    marks = {MPI: Mark(_OWN[MPI], None, "3 3"), AUTO: Mark(_OWN[AUTO], None, "")}
    for number, name in enumerate(names):
        letter = _LETTERS[number % len(_LETTERS)]
        marks[name] = Mark(letter, number % _MOST_COLOURS, _DASHES[number % len(_DASHES)])
    return marks


def palette() -> list[Colour]:
    return colours([0] * _MOST_COLOURS)


def name_of(algorithm: str) -> str:
    """As the page calls it."""
    return {MPI: "the MPI library", AUTO: "auto"}.get(algorithm, algorithm)
