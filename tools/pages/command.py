#!/usr/bin/env python3
"""Make the manual page of the command `rondo`, which must be installed in this Python.

    tools/pages/command.py [--check] PAGE

With --check nothing is written: the status is 1 if the page is not what would be written.
"""

from __future__ import annotations

import argparse
import re
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

SEE_ALSO = ("rondo-bench", "rondo-exec", "rondo-tune")


# Depending on its version, Typer needs click or has it inside, so click's types are not named here.
Command = Any
Parameter = Any


def commands(group: Command, before: str) -> Iterator[tuple[str, Command]]:
    """Every command with its whole name; those of a group as well."""
    for name, command in group.commands.items():
        whole = f"{before} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, whole)
        else:
            yield whole, command


def is_argument(parameter: Parameter) -> bool:
    return bool(parameter.param_type_name == "argument")


def arguments_of(command: Command) -> str:
    named = [one for one in command.params if is_argument(one)]
    words = [one.metavar or (one.name or "").upper() for one in named]
    return " ".join(
        word if one.required or word.startswith("[") else f"[{word}]"
        for word, one in zip(words, named)
    )


def option_of(parameter: Parameter) -> Option:
    """An option as --help of the other programs has it."""
    *letters, name = sorted(parameter.opts, key=len)
    meaning = " ".join((parameter.help or "").split())
    if parameter.secondary_opts:
        name = f"{name}, {parameter.secondary_opts[0]}"
    given = parameter.default
    if parameter.required:
        meaning += " Required."
    elif not parameter.is_flag and isinstance(given, (str, int, Path)) and str(given) != ".":
        meaning += f" The default is {given}."
    if not parameter.is_flag and not parameter.metavar:
        raise ValueError(f"{name} has no metavar")
    return Option(name, *letters, kind=parameter.metavar or "", meaning=meaning)


def command_lines(name: str, command: Command) -> Iterator[str]:
    words = f"{name} [OPTION]... {arguments_of(command)}".rstrip()
    yield f".SS {manual.escaped(words)}"
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    yield manual.escaped(" ".join(paragraphs[0].split()))
    for paragraph in paragraphs[1:]:
        yield from (".PP", manual.escaped(" ".join(paragraph.split())))
    for parameter in command.params:
        if is_argument(parameter):
            help_of = " ".join((getattr(parameter, "help", "") or "").split())
            word = parameter.metavar or (parameter.name or "").upper()
            yield from (".TP", f"\\fI{manual.escaped(word)}\\fR", manual.escaped(help_of))
        elif "--help" not in parameter.opts:
            yield from manual.option_lines(option_of(parameter))


def page() -> str:
    """The whole page."""
    group = typer.main.get_command(app)
    exits = [Block(meaning, term=str(int(number))) for number, meaning in MEANINGS.items()]
    told = Program(
        name="rondo",
        usage="rondo COMMAND [OPTION]... [ARGUMENT]...",
        description=group.help or "",
        version=__version__,
        options=[
            Option("--help", "-h", meaning="Print the help of rondo or of a command and exit."),
            Option("--install-completion", meaning="Install completion for the current shell."),
            Option("--show-completion", meaning="Print the completion for the current shell."),
            Option("--version", meaning="Print the version and exit."),
        ],
        sections=[Section("Exit status", exits)],
    )
    lines = [
        line for name, command in commands(group, "rondo") for line in command_lines(name, command)
    ]
    before, mark, after = manual.page(told, SEE_ALSO).partition(".SH EXIT STATUS")
    return before + "\n".join([".SH COMMANDS", *lines, ""]) + mark + after


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
