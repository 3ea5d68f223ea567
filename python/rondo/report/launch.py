"""How many ranks a launch command starts, and the same command with fewer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rondo.option_words import CannotRewrite, command_at

_COUNT = ("-n", "-np", "--n", "--np", "--ntasks")
_JOINED = re.compile(r"(-n=?|-np=|--n=|--np=|--ntasks=)(\d+)")
_HALVED = 16  # more ranks are quartered, so that three numbers span the machine
_MOST_COUNTS = 3


class RankCount(NamedTuple):
    """Where a command says how many ranks it starts."""

    at: int
    before: str  # the number, in the same word
    ranks: int


def rank_count_of(words: Sequence[str]) -> RankCount | None:
    """None where it says nothing, or more than one number."""
    try:
        start = command_at(words)  # nice has -n too
    except CannotRewrite:
        return None
    found = []
    for at in range(start + 1, len(words)):
        joined = _JOINED.fullmatch(words[at])
        if joined:
            found.append(RankCount(at, joined[1], int(joined[2])))
        elif words[at - 1] in _COUNT and words[at].isdecimal():
            found.append(RankCount(at, "", int(words[at])))
    return found[0] if len(found) == 1 else None


class Launch(NamedTuple):
    """How ranks are started: the words before the program."""

    words: list[str]
    rank_count: RankCount | None

    def command(self, ranks: int, *program: object) -> list[str]:
        """Starts `ranks` ranks if the words state a number, else the number that they imply."""
        words = list(self.words)
        if self.rank_count is not None:
            words[self.rank_count.at] = f"{self.rank_count.before}{ranks}"
        return [*words, *map(str, program)]


def launch_of(words: Sequence[str]) -> Launch:
    return Launch(list(words), rank_count_of(words))


def numbers_of_ranks(ranks: int) -> list[int]:
    """Up to three numbers to measure with, from `ranks` down to 2."""
    step = 2 if ranks <= _HALVED else 4
    numbers = [ranks // step**power for power in range(_MOST_COUNTS)]
    return [number for number in numbers if number >= 2] or [ranks]
