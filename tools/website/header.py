"""The reference of a C header, in Markdown, from its comments.

`/* ---- Title. Text. */` opens a group, which has a page, and `/* -- Title. Text. */` a part of it.
Any other comment describes the declarations that follow it, up to the next comment. A comment may
end in a list of parameters, `Parameters:` and a line for each, which begins with its name. A
parameter that is not in the list of its function is in that of the part or of the group, or else in
that of the call: Rondo_Ialltoall and Rondo_Alltoall_plan have the parameters of Rondo_Alltoall.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import prose

_PART = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<code>(?:(?!/\*).)+)", re.S)
_STRUCT = re.compile(r"typedef (?:struct|enum) \{.*?\} (\w+);", re.S)
_DECLARATION = re.compile(
    r"@struct \d+@|^#define (?!RONDO_API|\w+_H$)[^\n]+|(?:RONDO_API|typedef)\b[^;]*;"
    r"|static inline (?:int|void) Rondo_nccl_host_mpi\w*\([^)]*\)",
    re.M,
)
_NAME = re.compile(r"#define (\w+)|\} (\w+);|(\w+)(?=\()|(\w+);?$")
_ROWS = re.compile(r"^Parameters:\n((?: .*\n?)+)", re.M)
_ROW = re.compile(r"^  (\w+(?:, \w+)*) {2,}(.*(?:\n {3,}.*)*)", re.M)


@dataclass
class Entry:
    """What one comment describes: a function, and its form for large counts, or types."""

    comment: str
    declarations: list[str]

    @property
    def name(self) -> str:
        return next(filter(None, _NAME.search(self.declarations[0]).groups()))

    @property
    def parameters(self) -> list[str]:
        """Those of a function."""
        listed = re.search(r"^(?:RONDO_API|static) [^{]*?\((.*)\)", self.declarations[0], re.S)
        return re.findall(r"(\w+)(?:\[\])?(?=,|$)", listed[1].strip()) if listed else []


@dataclass
class Group:
    """A group, or a part of one: parts have no parts."""

    title: str
    comment: str = ""
    entries: list[Entry] = field(default_factory=list)
    parts: list[Group] = field(default_factory=list)

    def all_entries(self) -> list[Entry]:
        return [*self.entries, *(one for part in self.parts for one in part.entries)]


def _plain(comment: str) -> str:
    """The text of a comment without its stars."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip("*\n ").split("\n")]
    return "\n".join(lines).strip()


def _rows(comment: str) -> dict[str, str]:
    """The meanings of the parameters that a comment lists."""
    listed = "".join(_ROWS.findall(comment + "\n"))
    return {name: text for names, text in _ROW.findall(listed) for name in names.split(", ")}


def _without_rows(comment: str) -> str:
    return _ROWS.sub("", comment + "\n").strip()


def _body(header: str) -> str:
    """Between the include guard's lines, without what only C++ sees."""
    return re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", header, flags=re.M | re.S)


def _set_aside(text: str) -> tuple[str, list[str]]:
    """The text with a number for each struct or enum, whose comments describe its members."""
    structs: list[str] = []

    def number(match: re.Match[str]) -> str:
        structs.append(match[0])
        return f"@struct {len(structs) - 1}@"

    return _STRUCT.sub(number, text), structs


class Header:
    """What a header says about all of it, and its groups. The first group has no title."""

    def __init__(self, text: str) -> None:
        text, self._structs = _set_aside(_body(text))
        first, *rest = _PART.finditer(text)
        self.preamble = _plain(first["comment"])
        self.groups = [Group("")]
        self._entries: dict[str, Entry] = {}
        comment = ""
        for one in rest:
            if one["comment"] is None:
                self._declare(comment, one["code"])
                comment = ""
            else:
                comment = self._open(_plain(one["comment"]))

    def _open(self, comment: str) -> str:
        """Opens the group or the part whose comment this is. Any other is returned."""
        found = re.fullmatch(r"(-{2,}) ([^.]*)\.\s*(.*)", comment, re.S)
        if found is None:
            return comment
        opened = Group(found[2], found[3])
        is_part = found[1] == "--"
        (self.groups[-1].parts if is_part else self.groups).append(opened)
        return ""

    def _declare(self, comment: str, code: str) -> None:
        group = (self.groups[-1].parts or self.groups)[-1]
        entry = None
        for match in _DECLARATION.finditer(code):
            text = match[0]
            if text.startswith("@"):
                text = self._structs[int(text.strip("@").split()[1])]
            one = Entry(comment, [text])
            small = self._entries.get(one.name.removesuffix("_c"))
            if small is not None and one.parameters:
                small.declarations.append(text)
            elif entry is not None and not one.parameters and not entry.parameters:
                entry.declarations.append(text)
            else:
                entry = self._entries[one.name] = one
                group.entries.append(one)
                comment = ""

    def meanings(self, entry: Entry, *around: Group) -> list[tuple[str, str]]:
        """Each parameter of a function with its meaning."""
        base = entry.name.removesuffix("_plan")
        base = re.sub(r"^Rondo_I([a-z])", lambda start: f"Rondo_{start[1].upper()}", base)
        known: dict[str, str] = {}
        if base != entry.name and base in self._entries:
            known.update(self.meanings(self._entries[base], *self.around(self._entries[base])))
        for one in (*around, entry):
            known.update(_rows(one.comment))
        return [(name, known.get(name, "")) for name in entry.parameters if name != "void"]

    def around(self, entry: Entry) -> list[Group]:
        """The group and the part in which it is."""
        for group in self.groups:
            if any(entry is one for one in group.all_entries()):
                inner = [one for one in group.parts if any(entry is e for e in one.entries)]
                return [group, *inner]
        return []


def _code(declaration: str) -> str:
    flat = re.sub(r"^(RONDO_API|static inline) ", "", declaration)
    if "{" in flat or "(" not in flat or flat.startswith("#"):
        return flat
    return prose.wrapped(re.sub(r"\n +", " ", flat).rstrip(";") + ";")


def _large(entry: Entry) -> str:
    """What is different in the function with large counts."""
    both = [set(re.split(r", |[()]", re.sub(r"\s+", " ", one))) for one in entry.declarations]
    own = [one for one in re.split(r"[(),]\s*", entry.declarations[1]) if one in both[1] - both[0]]
    name, *parameters = own
    listed = ", ".join(f"`{' '.join(one.split())}`" for one in parameters)
    return f"`{name.split()[-1]}` is the same with {listed}."


def _entry(header: Header, entry: Entry, level: str) -> Iterator[str]:
    is_large = bool(entry.parameters) and len(entry.declarations) == 2
    code = "\n".join(map(_code, entry.declarations[: 1 if is_large else None]))
    yield f"{level} {entry.name}\n\n```c\n{code}\n```\n"
    yield prose.markdown(_without_rows(entry.comment)) + "\n"
    if is_large:
        yield _large(entry) + "\n"
    rows = header.meanings(entry, *header.around(entry))
    if rows:
        head = ("parameter", "meaning")
        yield prose.table(head, [(f"`{name}`", prose.marked(text)) for name, text in rows]) + "\n"


def entries(header: Header, group: Group) -> list[str]:
    """What a group declares; that of a part stands below the part's title."""
    written = [text for one in group.entries for text in _entry(header, one, "##")]
    for part in group.parts:
        written += [f"## {part.title}\n", prose.markdown(_without_rows(part.comment)) + "\n"]
        written += [text for one in part.entries for text in _entry(header, one, "###")]
    return written


def page_of(group: Group, folder: str) -> str:
    return f"{folder}/{'-'.join(group.title.lower().split())}.md"


def group_pages(header: Header, folder: str) -> Iterator[tuple[str, str]]:
    """The paths and the texts of the pages of all groups."""
    for group in header.groups[1:]:
        text = prose.markdown(_without_rows(group.comment))
        common = f"[What all functions have in common](../{folder.rpartition('/')[2]}.md)"
        parts = [f"# {group.title}\n", f"{text}\n", f"{common}\n", *entries(header, group)]
        yield page_of(group, folder), "\n".join(parts)


def _contents(header: Header, folder: str) -> Iterator[str]:
    """Every function, and what it does, by groups."""
    for group in header.groups[1:]:
        page = page_of(group, folder.rpartition("/")[2])
        rows = [
            (f"[`{one.name}`]({page}#{one.name.lower()})", prose.first_sentence(one.comment))
            for one in group.all_entries()
            if one.parameters
        ]
        yield f"## {group.title}\n\n{prose.table(('function', 'what it does'), rows)}\n"


def places(header: Header, folder: str) -> dict[str, str]:
    """Where each function and each type is described."""
    return {
        one.name: f"{page_of(group, folder)}#{one.name.lower()}"
        for group in header.groups[1:]
        for one in group.all_entries()
    }


def linked(text: str, page: str, described: dict[str, str]) -> str:
    """The page with a link at each name that another page describes, and at those of documents."""

    def led(match: re.Match[str]) -> str:
        place = match["document"] or described.get(match["name"] or "", page)
        link = posixpath.relpath(place, posixpath.dirname(page))
        return match[0] if place.partition("#")[0] == page else f"[{match[0]}]({link})"

    return re.sub(
        r"^```.*?^```|(?<!\[)`(?P<name>[\w.]+)`|\bdocs/(?P<document>\w+\.md)",
        led,
        text,
        flags=re.M | re.S,
    )


def _example(program: str) -> list[str]:
    """The call of a program, and then all of it, introduced by its first comment."""
    comment = next(_PART.finditer(program))
    said, _, command = _plain(comment["comment"]).partition("\n  ")
    call = re.search(r"^ *(Rondo_\w*lltoall\w*\([^;]*;)", program, re.M)
    code = program[comment.end() :].strip()
    return [
        f"```c\n{' '.join(call[1].split())}\n```\n" if call else "",
        f"{prose.markdown(said)}\n\n    {command.strip()}\n\n```c\n{code}\n```\n",
    ]


def reference(header: Header, title: str, folder: str = "", example: str = "") -> str:
    """The first page of a header, which begins with an example if there is one.

    What the header says about all of it follows: first what has no title, and behind the functions
    a section for each title.
    """
    said = prose.paragraphs(header.preamble)
    at = next((at for at, one in enumerate(said) if at and prose.titled(one)[0]), len(said))
    return "\n".join(
        [
            f"# {title}\n",
            *(_example(example) if example else ()),
            *map("{}\n".format, said[:at]),
            *_contents(header, folder),
            *entries(header, header.groups[0]),
            *prose.sections(said[at:]),
        ]
    )
