"""Reads what --help prints: every program has the same form of it (support/help.hpp)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TITLE = re.compile(r"([A-Z][^:]*):")
_OPTION = re.compile(r"(?:(?P<letter>-\w), )?(?P<name>--[\w-]+)(?: (?P<kind>\S+))?")
_ARGUMENT = re.compile(r"(?P<name>\w+) (?P<kind>\S+)")
_TERM = re.compile(r"(\S+(?: \S+)*) {2,}(\S.*)")
_DEEP = 10  # spaces before a description, or the rest of one, that has a line of its own


@dataclass
class Option:
    """An option or an argument."""

    name: str  # --output, or the name of an argument; empty if it has only a kind
    letter: str = ""  # -o
    kind: str = ""  # FILE, table|json|csv, ...; empty for a flag
    meaning: str = ""

    @property
    def names(self) -> list[str]:
        return [name for name in (self.letter, self.name) if name]

    @property
    def choices(self) -> list[str]:
        return self.kind.split("|") if "|" in self.kind else []


@dataclass
class Block:
    """A part of a section: a paragraph, a term with its meaning, or lines as they are."""

    text: str
    term: str = ""
    is_literal: bool = False


@dataclass
class Section:
    title: str
    blocks: list[Block] = field(default_factory=list)


@dataclass
class Program:
    name: str
    usage: str
    description: str
    version: str = ""
    arguments: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)


def read(text: str, version: str = "") -> Program:
    """The program whose --help printed this text."""
    usage, description, *rest = re.split(r"\n\n+", text.rstrip("\n"))
    words = usage.removeprefix("Usage: ")
    program = Program(words.split()[0], words, " ".join(description.split()), version)
    for title, lines in _sections("\n".join(rest).splitlines()):
        if title == "Arguments":
            program.arguments = _options(_ARGUMENT, lines)
        elif title == "Options":
            program.options = _options(_OPTION, lines)
        else:
            program.sections.append(Section(title, _blocks(lines, title == "Examples")))
    return program


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    at = [number for number, line in enumerate(lines) if _TITLE.fullmatch(line)]
    for begin, end in zip(at, [*at[1:], len(lines)]):
        yield lines[begin].rstrip(":"), lines[begin + 1 : end]


def _options(pattern: re.Pattern[str], lines: list[str]) -> list[Option]:
    options: list[Option] = []
    for line in lines:
        if not line[:_DEEP].strip() and options:  # the entry goes on: its words, or its meaning
            last = options[-1]
            if last.kind.endswith("|"):
                last.kind += line.strip()
            else:
                last.meaning = f"{last.meaning} {line.strip()}".strip()
            continue
        names, *meaning = re.split(" {2,}", line.strip(), maxsplit=1)
        found = pattern.fullmatch(names)
        if found is None:
            raise ValueError(f"this line of --help is neither an option nor its text: {line!r}")
        options.append(Option(**found.groupdict(default=""), meaning=" ".join(meaning)))
    return options


def _blocks(lines: list[str], is_literal: bool) -> list[Block]:
    lines = [line.removeprefix("  ") for line in lines]
    if is_literal:
        return [Block("\n".join(lines), is_literal=True)]
    blocks: list[Block] = []
    for line, following in zip(lines, [*lines[1:], ""]):
        last = blocks[-1] if blocks else Block("", is_literal=True)
        found = _TERM.fullmatch(line)
        if line.startswith(" ") and last.term:
            last.text = f"{last.text} {line.strip()}".strip()
        elif line.startswith(" "):
            blocks.append(Block(line, is_literal=True))
        elif found is not None:
            blocks.append(Block(found[2], term=found[1]))
        elif following.startswith(" " * _DEEP):
            blocks.append(Block("", term=line))
        elif last.term or last.is_literal:
            blocks.append(Block(line))
        else:
            last.text += f" {line}"
    return blocks
