"""The reference of the C++ headers, in Markdown, from their comments.

`///` describes the declaration that follows, and the first such comment of a header all of it.
`// ---- Title: text.` opens a section. What is private or in namespace detail is left out, and so
are specialisations and what goes without saying: destructors, moving and copying. The headers are
formatted, so a declaration begins at its indentation, and so does the brace that closes its body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import prose

# In the order of the page, with a title for those that have no sections.
HEADERS = {
    "cpp/buffers.hpp": "Buffers and errors",
    "cpp/calls.hpp": "",
    "cpp/starts.hpp": "Nonblocking exchanges",
    "cpp/plans.hpp": "Plans",
    "rondo.hpp": "",
    "mailbox.hpp": "Mailbox",
}
_CLASS = re.compile(r"\b(?:class|struct) (\w+)(<?)[^()]*$")
_VALUE = re.compile(r"\b(?:using|concept|constexpr \S+) (\w+)")
_IMPLIED = re.compile(r"= (?:default|delete)|operator=|~|(\w+)\(\1&& ")


class Declaration(NamedTuple):
    name: str  # that of a member begins with its class
    code: str
    comment: str


class Section(NamedTuple):
    title: str
    comment: str
    declarations: list[Declaration]


class Statement(NamedTuple):
    """A comment or a declaration. A declaration has no mark, and lines if it has a body."""

    mark: str
    text: str
    body: list[str]


def _statements(lines: list[str], pad: str) -> Iterator[Statement]:
    """What begins at an indentation."""
    at = 0
    while at < len(lines):
        begin = at
        at += 1
        if not re.match(rf"{pad}[^\s#}}]", lines[begin]):
            continue
        mark = lines[begin].split()[0]
        if mark in ("//", "///"):
            while lines[at].split()[:1] == [mark]:
                at += 1
            text = "\n".join(one[len(pad + mark) + 1 :] for one in lines[begin:at])
            yield Statement(mark, text, [])
            continue
        while not re.search(r"[;{}]( +//.*)?$", lines[at - 1]):
            at += 1
        text = " ".join(re.sub(r" +//.*", "", one).strip() for one in lines[begin:at])
        body = at
        if text.endswith("{"):
            at = next(i for i in range(at, len(lines)) if re.match(rf"{pad}}};?$", lines[i]))
            if _VALUE.search(text):
                text = " ".join([text, *(one.strip() for one in lines[body:at]), "}"])
        yield Statement("", text.rstrip(" {"), lines[body:at])


def _named(text: str) -> str:
    found = _VALUE.search(text) or re.search(r"(operator \w+|\w+)\(", _split(text)[1])
    return found[1] if found else ""


def _split(text: str) -> tuple[str, str]:
    """The parameters of a template, and what follows."""
    found = re.match(r"template <.*?>(?: requires ?\(.*?\))? (?=[\w\[])", text)
    end = found.end() if found else 0
    return text[:end].strip(), text[end:]


def _code(text: str) -> str:
    """A declaration without its body and without what initialises members."""
    is_value = _VALUE.search(text)
    if not is_value:
        text = re.sub(r" : [\w:]+\(.*| \{.*", "", text)
    template, rest = _split(re.sub(r"\binline |\bdetail::", "", text).rstrip(";"))
    rest = rest.replace(" && ", " &&\n    ") if is_value else prose.wrapped(f"{rest};")
    return "\n".join(filter(None, [template, rest.rstrip(";") + ";"]))


def _class(name: str, statement: Statement, comment: str) -> Iterator[Declaration]:
    """A class, whose declaration shows what data it has, and its public members."""
    data, members, said = [], [], ""
    private = [*statement.body, " private:"].index(" private:")
    for one in _statements(statement.body[:private], "  "):
        if one.mark:
            said = one.text if one.mark == "///" else ""
            continue
        if not _named(one.text) and not _IMPLIED.search(one.text):
            data.append(f"  {one.text}")
        elif not _IMPLIED.search(one.text):
            members.append(Declaration(f"{name}::{_named(one.text)}", _code(one.text), said))
        said = ""
    code = _code(statement.text)
    if data:
        code = "\n".join([code.rstrip(";") + " {", *data, "};"])
    yield Declaration(name, code, comment)
    yield from members


def sections(text: str, title: str) -> list[Section]:
    """What a header says and declares. A section without a title goes on with the one before."""
    before, _, inside = text.partition("\nnamespace rondo {\n")
    inside = re.sub(
        r"^namespace detail \{$.*?^\}  // namespace detail$", "", inside, flags=re.M | re.S
    )
    about = next(_statements(before.split("\n"), "")).text
    found = [Section(title, "" if about.startswith("Part of") else about, [])]
    comment = ""
    for one in _statements(inside.split("\n"), ""):
        if one.text.startswith("---- "):
            head, said = re.split(r"[.:]\s*", one.text[5:], maxsplit=1)
            found.append(Section(head, said[:1].upper() + said[1:], []))
        if one.mark:
            comment = one.text if one.mark == "///" else ""
            continue
        kind = _CLASS.search(_split(one.text)[1])
        if kind and not kind[2]:
            found[-1].declarations.extend(_class(kind[1], one, comment))
        elif not kind:
            found[-1].declarations.append(Declaration(_named(one.text), _code(one.text), comment))
        comment = ""
    return found


def _entries(declarations: list[Declaration]) -> Iterator[str]:
    for name, alike in groupby(declarations, lambda one: one.name):
        yield f"### {name}\n"
        for one in alike:
            yield f"```cpp\n{one.code}\n```\n\n{prose.markdown(one.comment)}\n"


def reference(folder: Path, title: str) -> str:
    """The page of all headers."""
    headers = {
        path: sections((folder / path).read_text(encoding="utf-8"), name)
        for path, name in HEADERS.items()
    }
    parts = [f"# {title}\n\n{prose.markdown(headers['rondo.hpp'][0].comment)}\n"]
    for one in (one for found in headers.values() for one in found if one.title):
        parts += [f"## {one.title}\n", prose.markdown(one.comment) + "\n"]
        parts += _entries(one.declarations)
    return "\n".join(parts)
