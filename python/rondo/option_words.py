"""Options of other programs' command lines: how many words they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class CannotRewrite(ValueError):
    """Where rondo-exec belongs in a command cannot be told; the text says what to do instead."""


@dataclass(frozen=True)
class Options:
    """The options of a program.

    `values` maps each option that takes values to the number of words behind it, `flags` are those
    that take none. One dash or two are the same, as they are to Open MPI and hydra. With `letters`,
    one dash begins options of one letter, whose value may follow at once, as in -n4.
    """

    program: str
    values: dict[str, int]
    flags: frozenset[str]
    letters: bool = False

    def end(self, words: Sequence[str]) -> int:
        """Where the first word is that is neither an option nor an option's value."""
        at = 0
        while at < len(words) and words[at].startswith("-"):
            if words[at] == "--":
                return at + 1
            at += 1 + self._values_of(words[at])
        return at

    def _values_of(self, word: str) -> int:
        """How many words behind this option belong to it."""
        option, assigned, _ = word.lstrip("-").partition("=")
        if self.letters and not word.startswith("--") and len(word) > 2:
            option, assigned = option[:1], "="  # flags in one word, or a letter with its value
        if option in self.flags:
            return 0
        if option in self.values:
            return 0 if assigned else self.values[option]
        raise CannotRewrite(
            f"rondo run does not know {self.program}'s option {word!r}, so it cannot tell where "
            "the program begins: put `rondo-exec` before your program yourself"
        )


def options(program: str, values: str, flags: str, letters: bool = False) -> Options:
    """`values` are the names of options; name/2 takes two words."""
    counts = {}
    for word in values.split():
        option, _, count = word.partition("/")
        counts[option] = int(count or 1)
    return Options(program, counts, frozenset(flags.split()), letters)
