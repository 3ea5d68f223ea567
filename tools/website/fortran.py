"""The reference of the Fortran module, in Markdown, from what fortran/generate.py makes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

import outside
import prose

sys.path.append(str(outside.SOURCE / "fortran"))

import generate  # noqa: E402

_NAME = re.compile(
    r"interface (operator\(.*\))|(?:subroutine|function|type.* ::|parameter ::) (\w+)", re.I
)


class Procedure(NamedTuple):
    """A procedure, or a type, of the module."""

    name: str
    code: str
    comment: str


def lines() -> list[str]:
    """The module."""
    header = generate.HEADER.read_text(encoding="utf-8")
    template = (generate.HERE / "rondo.F90.in").read_text(encoding="utf-8")
    return generate.module(template, generate.functions_of(header))[0]


def _comment(block: str) -> str:
    return "\n".join(re.findall(r"^ *!(?:>|!) ?(.*)$", block, re.M))


def _code(block: str) -> str:
    """What a block declares, without the lines of its interface."""
    code = re.sub(r"^ *!.*\n|^ *private\n(?s:.*)", "", block, flags=re.M)
    found = re.search(r"^ *module (subroutine|function).*?^ *end \1", code, re.M | re.S)
    kept = found[0].replace("module ", "", 1) if found else code
    indent = re.match(r" *", kept)[0]
    return re.sub(rf"^{indent}", "", kept, flags=re.M).rstrip()


def procedures() -> Iterator[Procedure]:
    """What the module has, in its order. Forms for large counts have the names of the others."""
    for block in re.split(r"\n{2,}", "\n".join(lines()).partition("#ifdef")[0]):
        found = _NAME.search(re.sub(r"^ *!.*\n", "", block, flags=re.M))
        if found and "use mpi_f08" not in block:
            name = found[1] or found[2]
            code = "" if found[1] else _code(block)
            yield Procedure(name, code, _comment(block))


def reference(title: str, example: str) -> str:
    """The page of the module."""
    text = "\n".join(lines())
    about = _comment(text.partition("\nmodule rondo")[0])
    large = re.search(r"! (Large counts.*(?:\n *! .*)*)", text)[1]
    parts = [f"# {title}\n", f"{prose.markdown(about)}\n"]
    parts += [
        prose.marked(re.sub(r"\n *! ", " ", large)) + "\n",
        f"```fortran\n{example.strip()}\n```\n",
    ]
    for one in procedures():
        parts.append(f"## {one.name}\n")
        parts += [f"```fortran\n{one.code}\n```\n"] if one.code else []
        parts.append(prose.markdown(one.comment) + "\n")
        if "ierror" in one.code:
            parts.append(f"C's `{one.name}` says what the arguments mean.\n")
    return "\n".join(parts)
