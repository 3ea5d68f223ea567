"""Writes manual pages: roff with the macros of man(7)."""

from __future__ import annotations

from collections.abc import Iterator

from help_text import Block, Option, Program

_SPECIAL = {"\\": "\\e", "-": "\\-", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga", "'": "\\(aq"}
_SEE_ALSO = ("rondo", "rondo-bench", "rondo-exec", "rondo-tune")
_DOCUMENTS = "The documents of Rondo, docs/ in its source, explain every command and setting."


def escaped(text: str) -> str:
    """The text as roff prints it."""
    plain = "".join(_SPECIAL.get(letter, letter) for letter in text)
    return f"\\&{plain}" if plain.startswith(".") else plain


def page(program: Program) -> str:
    """The whole page of a program, in section 1."""
    return "\n".join([*_lines(program), ""])


def _lines(program: Program) -> Iterator[str]:
    name, _, usage = program.usage.partition(" ")
    yield f'.TH {program.name.upper()} 1 "" "Rondo {program.version}" "Rondo"'
    yield from (".nh", ".ad l")  # words are names, which must not be broken
    yield from (".SH NAME", f"{escaped(program.name)} \\- {escaped(_summary(program))}")
    yield from (".SH SYNOPSIS", f".B {escaped(name)}", escaped(usage))
    yield from (".SH DESCRIPTION", *paragraphs(program.description))
    for title, options in (("ARGUMENTS", program.arguments), ("OPTIONS", program.options)):
        if options:
            yield f".SH {title}"
        for option in options:
            yield from option_lines(option)
    for section in program.sections:
        yield f".SH {escaped(section.title.upper())}"
        for block in section.blocks:
            yield from _block_lines(block)
    others = [f".BR {escaped(other)} (1)" for other in _SEE_ALSO if other != program.name]
    yield from (".SH SEE ALSO", " ,\n".join(others))
    yield from (".PP", _DOCUMENTS)


def _summary(program: Program) -> str:
    """The first sentence, as the line of apropos(1) has it."""
    sentence = program.description.partition(". ")[0].rstrip(".")
    return sentence[0].lower() + sentence[1:]


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a description."""
    first, *others = text.split("\n\n")
    yield escaped(first)
    for paragraph in others:
        yield from (".PP", escaped(paragraph))


def option_lines(option: Option) -> Iterator[str]:
    """An option with its names and its meaning."""
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
    # A long list of words may be broken between them.
    kind = f"\\fI{escaped(option.kind)}\\fR".replace("|", "|\\:") if option.kind else ""
    yield from (".TP", f"{names} {kind}".strip(), escaped(option.meaning))


def _block_lines(block: Block) -> Iterator[str]:
    if block.term:
        yield from (".TP", f"\\fB{escaped(block.term)}\\fR", escaped(block.text))
    elif block.is_literal:
        yield from (".PP", ".nf", *map(escaped, block.text.splitlines()), ".fi")
    else:
        yield from (".PP", escaped(block.text))
