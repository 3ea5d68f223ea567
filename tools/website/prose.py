"""Comments of sources and texts of --help, as Markdown."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(
    r"(?<![\w`/-])("
    r"-?\*?[A-Za-z]\w*_\w+(?:\.h)?(?:=\w+)?(?::\w+=\w+)*(?:\(\))?|NULL"  # names
    r"|\w+\.hp?p?|\w+\(\)|\w+\[[^]]+\]|[A-Z]\w+<\w>(?:::\w+\(\))?|\w+(?:::\w+)+|sizeof\(\w\)"
    r"|(?:send|recv)(?:buf|count|type|capacity)s?|[sr]displs"
    r")(?![\w`])"
)
_CODE = re.compile(r'(`[^`\n]+`|"[^"\n]*")')
_ALIGNED = re.compile(r"\S {2,}\S")
_SHORT_TITLE = 5  # words, of a title that stands before a paragraph


def _escaped(text: str) -> str:
    parts = _IDENTIFIER.split(text)
    return "".join(
        f"`{part}`" if at % 2 else re.sub(r"([*<])", r"\\\1", part) for at, part in enumerate(parts)
    )


def marked(text: str) -> str:
    """With identifiers and quoted words as code."""
    pieces = _CODE.split(" ".join(text.split()))
    return "".join(
        f"`{piece.strip('`')}`" if at % 2 else _escaped(piece) for at, piece in enumerate(pieces)
    )


def _paragraph(text: str) -> str:
    """A paragraph, which may end in a list. Aligned lines and programs stay as they are."""
    lines = text.split("\n")
    if all(line.startswith("    ") for line in lines):
        return text
    if any(_ALIGNED.search(line) for line in lines):
        return f"```text\n{text}\n```"
    first, *items = re.split(r"^- ", text, flags=re.M)
    written = [marked(first), "\n".join(f"- {marked(item)}" for item in items)]
    return "\n\n".join(filter(None, written))


def paragraphs(comment: str) -> list[str]:
    return [_paragraph(one.strip("\n")) for one in comment.split("\n\n") if one.strip()]


def titled(paragraph: str) -> tuple[str, str]:
    """The words before a paragraph, such as "Lengths", and its text; no title if it has none."""
    found = re.match(r"([A-Z][^.?\n`]*)([.?]) (?=\S)", paragraph)
    if not found or len(found[1].split()) > _SHORT_TITLE:
        return "", paragraph
    return found[1] + found[2].strip("."), paragraph[found.end() :]


def markdown(comment: str) -> str:
    """The paragraphs, those behind the first with their titles in bold."""
    first, *others = paragraphs(comment) or [""]
    return "\n\n".join([first, *map(_with_bold_title, others)])


def _with_bold_title(paragraph: str) -> str:
    title, rest = titled(paragraph)
    end = "" if title.endswith("?") else "."
    return f"**{title}{end}** {rest}" if title else paragraph


def sections(written: list[str]) -> list[str]:
    """Each title as the heading of a section; paragraphs without one belong to the one before."""
    parts = []
    for paragraph in written:
        title, rest = titled(paragraph)
        parts.append(f"## {title}\n\n{rest}\n" if title else f"{paragraph}\n")
    return parts


def first_sentence(comment: str) -> str:
    """What it does, without the word that says who calls it."""
    text = re.sub(r"^(Collective|Local)(, [^.]*| over [^.]*)?\. ", "", " ".join(comment.split()))
    return marked(re.split(r"(?<=\.) |: ", text, maxsplit=1)[0].rstrip(".")) + "."


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [head, ("---", "---"), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in one)} |" for one in lines
    )


def wrapped(declaration: str) -> str:
    """One parameter a line where the whole is too long for one."""
    if len(declaration) <= 80 or "(" not in declaration:
        return declaration
    head, _, rest = declaration.partition("(")
    listed, mark, behind = rest.rpartition(")")
    return f"{head}(\n    " + ",\n    ".join(listed.split(", ")) + mark + behind
