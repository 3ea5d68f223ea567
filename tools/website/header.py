"""A reference page, in Markdown, from the comments of a C header.

The comment before a declaration describes it, and the ones after it up to the next comment; that of
a type describes no function. A comment that begins with dashes opens a section:
`/* ---- Title. Text. */`. What has no comment has the paragraphs of its section that begin with its
name, or leads to the section.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import NamedTuple

from measured import anchor_of

_PART = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<code>(?:(?!/\*).)+)", re.S)
_STRUCT = re.compile(r"typedef struct \{.*?\} (\w+);", re.S)
_DECLARATION = re.compile(
    r"(?P<struct>@struct \d+@)|(?P<macro>^#define [^\n]+)|(?P<other>(?:RONDO_API|typedef)\b[^;]*;)",
    re.M,
)
_NAME = re.compile(r"(\w+)(?=\()|(\w+);$")
_IDENTIFIER = re.compile(
    r"(?<![\w`/-])(-?\*?[A-Za-z]\w*_\w+(?:\.h)?(?:=\d+)?(?:\(\))?|NULL)(?![\w`])"
)
_ALIGNED = re.compile(r"\S {2,}\S")
_SHORT_TITLE = 5  # words, of a title that stands before a paragraph
_SHORT_TEXT = 80  # characters, of a comment that is repeated for every declaration


class Declaration(NamedTuple):
    name: str
    text: str


class Group(NamedTuple):
    """Declarations that one comment describes; a section's title stands with the first."""

    section: str
    comment: str
    declarations: list[Declaration]


def _plain(comment: str) -> str:
    """The text of a comment without its stars."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip("*\n ").split("\n")]
    return "\n".join(lines).strip()


def _section(comment: str) -> tuple[str, str]:
    """The title of a section and the text behind it; no title for other comments."""
    if not comment.startswith("----"):
        return "", comment
    title, *text = re.split(r"[.:]\s+", comment.lstrip("- "), maxsplit=1)
    said = "".join(text)
    return title.rstrip("."), said[:1].upper() + said[1:]


def _body(header: str) -> str:
    """Between the include guard's lines, without what only C++ sees."""
    return re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", header, flags=re.M | re.S)


def _is_function(declaration: Declaration) -> bool:
    return declaration.text.startswith("RONDO_API")


def groups(header: str) -> list[Group]:
    """What the header declares, in its order. The first comment, about all of it, has no group."""
    structs: list[re.Match[str]] = []

    def put_aside(match: re.Match[str]) -> str:
        structs.append(match)
        return f"@struct {len(structs) - 1}@"

    def declared(code: str) -> list[Declaration]:
        found = []
        for match in _DECLARATION.finditer(code):
            text = match[0]
            if match["struct"]:
                struct = structs[int(text.split()[1].rstrip("@"))]
                found.append(Declaration(struct[1], struct[0]))
            elif match["macro"]:
                if not re.match(r"#define (?:RONDO_API\b|\w+_H$)", text):
                    found.append(Declaration(text.split()[1], text))
            else:
                name = next(filter(None, _NAME.search(text).groups()))
                found.append(Declaration(name, re.sub(r"\n +", " ", text)))
        return found

    all_groups: list[Group] = []
    section = comment = ""
    for part in list(_PART.finditer(_STRUCT.sub(put_aside, _body(header))))[1:]:
        if part["comment"] is not None:
            title, text = _section(_plain(part["comment"]))
            if title:
                all_groups.append(Group(title, text, []))
                text = ""
            section, comment = "", text
            continue
        for _, alike in groupby(declared(part["code"]), _is_function):
            all_groups.append(Group(section, comment, list(alike)))
            comment = ""
    return all_groups


def _marked(text: str) -> str:
    """A paragraph with its identifiers as code."""
    pieces = re.split(r'("[^"\n]*")', text)
    return "".join(
        f"`{piece}`" if piece.startswith('"') and len(piece) > 2 else _escaped(piece)
        for piece in pieces
    )


def _escaped(text: str) -> str:
    parts = _IDENTIFIER.split(text)
    return "".join(
        f"`{part}`" if at % 2 else re.sub(r"([*<])", r"\\\1", part) for at, part in enumerate(parts)
    )


def _paragraph(text: str) -> str:
    if any(_ALIGNED.search(line) for line in text.split("\n")):
        return f"```text\n{text}\n```"
    return _marked(" ".join(text.split("\n")))


def _title(paragraph: str) -> tuple[str, str]:
    """The words before a paragraph, such as "Lengths", and its text; no title if it has none."""
    title, dot, rest = paragraph.partition(". ")
    return (title, rest) if dot and len(title.split()) <= _SHORT_TITLE else ("", paragraph)


def _titled(paragraph: str) -> str:
    """With its title in bold."""
    title, rest = _title(paragraph)
    return f"**{title}.** {rest}" if title else paragraph


def _sections(paragraphs: list[str]) -> list[str]:
    """Each title as the heading of a section; paragraphs without one belong to the one before."""
    parts = []
    for paragraph in paragraphs:
        title, rest = _title(paragraph)
        parts.append(f"## {title}\n\n{rest}\n" if title else f"{paragraph}\n")
    return parts


def _paragraphs(comment: str) -> list[str]:
    return [_paragraph(one.strip("\n")) for one in comment.split("\n\n") if one.strip()]


def markdown(comment: str) -> str:
    return "\n\n".join(_paragraphs(comment))


def _overview(comment: str) -> str:
    """The text of a section: its first paragraph, and others with their titles."""
    first, *others = _paragraphs(comment) or [""]
    return "\n\n".join([first, *map(_titled, others)])


def _said_by(section: Group, name: str) -> str:
    """What the text of a section says of a declaration without a comment."""
    own = [one for one in _paragraphs(section.comment) if one.startswith(f"`{name}` ")]
    return "\n\n".join(own) or f"See [{section.section}](#{anchor_of(section.section)})."


def _entry(declaration: Declaration, text: str) -> str:
    return f"### {declaration.name}\n\n```c\n{_wrapped(declaration.text)}\n```\n\n{text}\n"


def _wrapped(declaration: str) -> str:
    """One parameter a line where the whole is too long for one."""
    flat = declaration.removeprefix("RONDO_API ")
    if len(flat) <= 80 or "(" not in flat or "{" in flat:
        return flat
    head, _, rest = flat.partition("(")
    parameters = rest.removesuffix(");").split(", ")
    return f"{head}(\n    " + ",\n    ".join(parameters) + ");"


def _example(program: str) -> list[str]:
    """The call of a program, and then all of it, introduced by its first comment."""
    comment = next(_PART.finditer(program))
    said, _, command = _plain(comment["comment"]).partition("\n  ")
    call = re.search(r"^ *(Rondo_\w*lltoall\w*\([^;]*;)", program, re.M)
    code = program[comment.end() :].strip()
    return [
        f"```c\n{' '.join(call[1].split())}\n```\n" if call else "",
        f"{markdown(said)}\n\n    {command.strip()}\n\n```c\n{code}\n```\n",
    ]


def reference(header: str, title: str, example: str = "") -> str:
    """The page of a header, which begins with an example if there is one.

    What the header says about all of it follows: first what has no title, and behind the functions
    a section for each title.
    """
    preamble = _plain(next(_PART.finditer(header))["comment"])
    paragraphs = _paragraphs(preamble)
    titled = next((at for at, one in enumerate(paragraphs) if _title(one)[0] and at), None)
    pages = [
        f"# {title}\n",
        *(_example(example) if example else ()),
        *map("{}\n".format, paragraphs[:titled]),
    ]
    section = Group("", "", [])
    for group in groups(header):
        if group.section:
            section = group
            pages.append(f"## {group.section}\n\n{_overview(group.comment)}\n")
            continue
        text = markdown(group.comment)
        shared = text if len(text) <= _SHORT_TEXT else f"As `{group.declarations[0].name}`."
        for place, declaration in enumerate(group.declarations):
            said = (shared if place else text) or _said_by(section, declaration.name)
            pages.append(_entry(declaration, said))
    pages += _sections(paragraphs[titled:]) if titled is not None else []
    return "\n".join(pages)
