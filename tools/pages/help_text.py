"""Reads what --help prints: every program has the same form of it (support/help.hpp)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TITLE = re.compile(r"([A-Z][^:]*):")
_REST = r"(?: {2,}(?P<meaning>.*))?"
_OPTION = re.compile(r"  (?:(?P<letter>-\w), |    )(?P<name>--[\w-]+)(?: (?P<kind>\S+))?" + _REST)
_ARGUMENT = re.compile(r"  (?P<name>\w+) (?P<kind>\S+)" + _REST)
_TERM = re.compile(r"(\S+(?: \S+)*) {2,}(\S.*)")
_COLUMN = 24  # where descriptions of options begin
_DEEP = 10  # spaces before the description of a term that has a line of its own


@dataclass
class Option:
    """An option, or an argument, which has no long name."""

    name: str  # --output, or the name of an argument
    letter: str = ""  # -o
    kind: str = ""  # FILE, table|json|csv, ...; empty for a flag
    meaning: str = ""

    @property
    def names(self) -> list[str]:
        return [self.letter, self.name] if self.letter else [self.name]

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
            program.arguments = list(_options(_ARGUMENT, lines))
        elif title == "Options":
            program.options = list(_options(_OPTION, lines))
        else:
            program.sections.append(Section(title, list(_blocks(lines, title == "Examples"))))
    return program


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    title, body = "", []
    for line in [*lines, "End:"]:
        found = _TITLE.fullmatch(line)
        if found is None:
            body.append(line)
            continue
        if title:
            yield title, body
        title, body = found[1], []


def _options(pattern: re.Pattern[str], lines: list[str]) -> Iterator[Option]:
    option = None
    for line in lines:
        found = pattern.fullmatch(line)
        if found is not None:
            if option is not None:
                yield option
            option = Option(**{key: value or "" for key, value in found.groupdict().items()})
        elif option is not None and option.kind.endswith("|"):  # the list of words goes on
            option.kind += line.strip()
        elif option is not None and not line[:_COLUMN].strip():
            option.meaning = f"{option.meaning} {line.strip()}".strip()
        else:
            raise ValueError(f"this line of --help is neither an option nor its text: {line!r}")
    if option is not None:
        yield option


def _blocks(lines: list[str], is_literal: bool) -> Iterator[Block]:
    lines = [line.removeprefix("  ") for line in lines]
    if is_literal:
        yield Block("\n".join(lines), is_literal=True)
        return
    block: Block | None = None
    for line, following in zip(lines, [*lines[1:], ""]):
        found = _TERM.fullmatch(line)
        if line.startswith(" "):
            if block is not None and block.term:
                block.text = f"{block.text} {line.strip()}".strip()
                continue
            fresh = Block(line, is_literal=True)
        elif found is not None:
            fresh = Block(found[2], term=found[1])
        elif following.startswith(" " * _DEEP):
            fresh = Block("", term=line)
        elif block is not None and not block.term and not block.is_literal:
            block.text += f" {line}"
            continue
        else:
            fresh = Block(line)
        if block is not None:
            yield block
        block = fresh
    if block is not None:
        yield block
