"""Counts the words of options in other programs' command lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class CannotRewrite(ValueError):
    """The place for rondo-exec in a command is unknown; the text says what to do instead."""


@dataclass(frozen=True)
class Options:
    """The options of a program.

    `values` maps each option that takes values to the number of words after it; `flags` are the
    options without values. One dash or two are the same, as for Open MPI and hydra. With `letters`,
    one dash begins one-letter options, as in -lu, and a value may follow directly, as in -n4.
    """

    program: str
    values: dict[str, int]
    flags: frozenset[str]
    letters: bool = False

    def end(self, words: Sequence[str]) -> int:
        """The index of the first word that is neither an option nor an option's value."""
        at = 0
        while at < len(words) and words[at].startswith("-"):
            if words[at] == "--":
                return at + 1
            at += 1 + self._values_of(words[at])
        return at

    def _values_of(self, word: str) -> int:
        """How many of the following words belong to this option."""
        if self.letters and not word.startswith("--"):
            return self._values_of_letters(word)
        option, assigned, _ = word.lstrip("-").partition("=")
        if option in self.flags:
            return 0
        if option in self.values:
            return 0 if assigned else self.values[option]
        raise self._unknown(word)

    def _values_of_letters(self, word: str) -> int:
        """The same for one-letter options. The value is the rest of the word or the next word."""
        for at, letter in enumerate(word[1:], 2):
            if letter in self.values:
                return self.values[letter] if at == len(word) else 0
            if letter not in self.flags:
                raise self._unknown(word)
        return 0

    def _unknown(self, word: str) -> CannotRewrite:
        return CannotRewrite(
            f"rondo run does not know {self.program}'s option {word!r}, so it does not know where "
            "the program begins: put `rondo-exec` before your program yourself"
        )


def options(program: str, values: str, flags: str, letters: bool = False) -> Options:
    """Options from lists of names; name/2 takes two words."""
    counts = {}
    for word in values.split():
        option, _, count = word.partition("/")
        counts[option] = int(count or 1)
    return Options(program, counts, frozenset(flags.split()), letters)
