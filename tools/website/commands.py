"""The references of the commands, in Markdown: of `rondo` from what Typer knows of it, and of the
other programs from what their --help prints, packaging/help/."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import outside
import prose

sys.path.append(str(outside.SOURCE / "tools/pages"))

import command  # noqa: E402
import help_text  # noqa: E402
from help_text import Block, Option, Program  # noqa: E402

HELP = outside.SOURCE / "packaging/help"


def programs() -> Iterator[Program]:
    for file in sorted(HELP.glob("*.txt"), key=lambda one: one.stem):
        yield help_text.read(file.read_text(encoding="utf-8"))


def _option(option: Option) -> str:
    *others, last = option.names or [option.kind]
    kind = f" {option.kind}" if option.names and option.kind else ""
    names = ", ".join(f"`{name}`" for name in [*others, f"{last}{kind}"])
    return f"{names}\n:   {prose.marked(option.meaning)}\n"


def _block(block: Block) -> str:
    if block.term:
        return f"`{block.term}`\n:   {prose.marked(block.text)}\n"
    if block.is_literal:
        return f"```text\n{block.text}\n```\n"
    return f"{prose.marked(block.text)}\n"


def _program(program: Program) -> Iterator[str]:
    yield f"## {program.name}\n\n```text\n{program.usage}\n```\n"
    yield "\n\n".join(map(prose.marked, program.description.split("\n\n"))) + "\n"
    yield from map(_option, [*program.arguments, *program.options])
    for section in program.sections:
        yield f"**{section.title}**\n"
        yield from map(_block, section.blocks)


def command_page(title: str) -> str:
    """The page of `rondo`."""
    parts = [text for one in (command.program(), *command.all_commands()) for text in _program(one)]
    return "\n".join([f"# {title}\n", *parts])


def programs_page(title: str) -> str:
    """The page of all other programs."""
    return "\n".join([f"# {title}\n", *(text for one in programs() for text in _program(one))])
