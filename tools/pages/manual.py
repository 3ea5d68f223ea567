"""Writes manual pages: roff with the macros of man(7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from help_text import Block, Option, Program, Section

_SPECIAL = {"\\": "\\e", "-": "\\-", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga", "'": "\\(aq"}
_DOCUMENTS = "The documents of Rondo, docs/ in its source, explain every command and setting."


def escaped(text: str) -> str:
    """The text as roff prints it."""
    plain = "".join(_SPECIAL.get(letter, letter) for letter in text)
    return f"\\&{plain}" if plain.startswith(".") else plain


def page(program: Program, see_also: Iterable[str]) -> str:
    """The whole page of a program, in section 1."""
    return "\n".join([*_lines(program, see_also), ""])


def _lines(program: Program, see_also: Iterable[str]) -> Iterator[str]:
    name, _, usage = program.usage.partition(" ")
    yield f'.TH {program.name.upper()} 1 "" "Rondo {program.version}" "Rondo"'
    yield from (".nh", ".ad l")  # words are names, which must not be broken
    yield from (".SH NAME", f"{escaped(program.name)} \\- {escaped(_summary(program))}")
    yield from (".SH SYNOPSIS", f".B {escaped(name)}", escaped(usage))
    yield from (".SH DESCRIPTION", escaped(program.description))
    if program.arguments:
        yield ".SH ARGUMENTS"
        for argument in program.arguments:
            yield from option_lines(argument)
    yield ".SH OPTIONS"
    for option in program.options:
        yield from option_lines(option)
    for section in program.sections:
        yield from section_lines(section)
    others = sorted(set(see_also) - {program.name})
    if others:
        yield ".SH SEE ALSO"
        yield ",\n".join(f".BR {escaped(other)} (1)" for other in others).replace(",\n", " ,\n")
    yield from (".PP", _DOCUMENTS)


def _summary(program: Program) -> str:
    """The first sentence, as the line of apropos(1) has it."""
    sentence = program.description.partition(". ")[0].rstrip(".")
    return sentence[0].lower() + sentence[1:]


def words_of(option: Option) -> str:
    """What an option takes; a long list of words may be broken between them."""
    return escaped(option.kind).replace("|", "|\\:")


def option_lines(option: Option) -> Iterator[str]:
    """An option with its names and its meaning."""
    yield ".TP"
    kind = f" \\fI{words_of(option)}\\fR" if option.kind else ""
    yield ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names) + kind
    yield escaped(option.meaning)


def section_lines(section: Section) -> Iterator[str]:
    """A section under its title in capitals."""
    yield f".SH {escaped(section.title.upper())}"
    for block in section.blocks:
        yield from _block_lines(block)


def _block_lines(block: Block) -> Iterator[str]:
    if block.term:
        yield from (".TP", f"\\fB{escaped(block.term)}\\fR", escaped(block.text))
    elif block.is_literal:
        yield from (".PP", ".nf", *map(escaped, block.text.splitlines()), ".fi")
    else:
        yield from (".PP", escaped(block.text))
