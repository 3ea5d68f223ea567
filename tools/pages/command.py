#!/usr/bin/env python3
"""Make the manual page of the command `rondo`, which must be installed in this Python.

    tools/pages/command.py [--check] PAGE

With --check nothing is written: the status is 1 if the page is not what would be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import manual
import typer
from help_text import Block, Option, Program, Section

from rondo import __version__
from rondo.commands import app
from rondo.commands.status import MEANINGS

Command = Parameter = Any  # depending on its version, Typer needs click or has it inside


def plain(text: str | None) -> str:
    return " ".join((text or "").split())


def entry(parameter: Parameter) -> Option:
    """An argument or an option as --help of the other programs has it."""
    kind, meaning, given = parameter.metavar or "", plain(parameter.help), parameter.default
    if parameter.param_type_name == "argument":
        kind = kind or parameter.name.upper()
        return Option("", kind=kind, meaning=meaning)
    *letters, name = sorted(parameter.opts, key=len)
    if not parameter.is_flag and not kind:
        raise ValueError(f"{name} has no metavar")
    if parameter.required:
        meaning += " Required."
    elif not parameter.is_flag and isinstance(given, (str, int, Path)) and str(given) != ".":
        meaning += f" The default is {getattr(given, 'value', given)}."
    names = ", ".join([name, *parameter.secondary_opts])
    return Option(names, *letters, kind=kind, meaning=meaning)


def commands(name: str, command: Command) -> Iterator[Program]:
    """A command, or those of a group."""
    if hasattr(command, "commands"):
        for word, inner in command.commands.items():
            yield from commands(f"{name} {word}", inner)
        return
    entries = [(one, entry(one)) for one in command.params if "--help" not in one.opts]
    usage = [f"{name} [OPTION]..."]
    for one, told in entries:
        if not told.name:
            is_bare = one.required or told.kind.startswith("[")
            usage.append(told.kind if is_bare else f"[{told.kind}]")
    said = "\n\n".join(map(plain, command.help.split("\n\n")))
    options = [told for _, told in entries]
    yield Program(name, " ".join(usage), said, options=options)


def program() -> Program:
    """The command without its commands."""
    exits = [Block(meaning, term=str(int(number))) for number, meaning in MEANINGS.items()]
    return Program(
        name="rondo",
        usage="rondo COMMAND [OPTION]... [ARGUMENT]...",
        description=typer.main.get_command(app).help or "",
        version=__version__,
        options=[
            Option("--help", "-h", meaning="Print the help of rondo or of a command and exit."),
            Option("--install-completion", meaning="Install completion for the current shell."),
            Option("--show-completion", meaning="Print the completion for the current shell."),
            Option("--version", meaning="Print the version and exit."),
        ],
        sections=[Section("Exit status", exits)],
    )


def all_commands() -> Iterator[Program]:
    return commands("rondo", typer.main.get_command(app))


def command_lines(command: Program) -> Iterator[str]:
    """The part of a command."""
    yield f".SS {manual.escaped(command.usage)}"
    yield from manual.paragraphs(command.description)
    for option in command.options:
        yield from manual.option_lines(option)


def page() -> str:
    """The whole page."""
    before, mark, after = manual.page(program()).partition(".SH EXIT STATUS")
    told = [line for one in all_commands() for line in command_lines(one)]
    return "\n".join([f"{before}.SH COMMANDS", *told, mark]) + after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path, help="the file of the page")
    parser.add_argument("--check", action="store_true", help="write nothing, but compare")
    options = parser.parse_args()
    text = page()
    if not options.check:
        options.page.write_text(text, encoding="utf-8")
    elif options.page.read_text(encoding="utf-8") != text:
        sys.exit(f"pages: {options.page} is out of date: run `make manual`")


if __name__ == "__main__":
    main()
