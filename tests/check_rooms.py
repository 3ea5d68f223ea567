#!/usr/bin/env python3
"""Check that #include lines only point down the list of rooms of the design, and that files that
claim to need no MPI need none."""

import re
import sys
from pathlib import Path

# Folders of programs: beside each other above all rooms, and without includes of each other.
PROGRAMS = ["apps", "bench"]
# From the top; a room may include itself and what stands below it. All but the first are folders of
# src/. A listed folder inside a room is a room of its own. The public headers are those of
# exchange, except those of gpu and of group.
ROOMS = [
    "support",
    "dropin/exec",
    "dropin/preload",
    "dropin/component",
    "dropin/judge",
    "dropin/part",
    "dropin/report",
    "dropin",
    "api",
    "exchange",
    "communicator",
    "gpu",
    "group",
    "engines",
    "buffers",
    "mpi",
    "simulate",
    "select",
    "model",
    "choice",
    "transport",
    "watch",
    "segment",
    "registry",
    "schedule",
    "base",
]
PUBLIC_HEADERS = "rondo"
# The headers that a room must not include, directly or not. Most rooms compile with neither MPI nor
# CUDA. A file whose first comment says "No MPI" must compile without it too.
MPI = re.compile(r"mpi|rondo/rondo\.", re.IGNORECASE)
FOREIGN = re.compile(r"mpi|rondo/rondo\.|cuda|nccl", re.IGNORECASE)
FORBIDDEN = {
    "dropin": FOREIGN,
    "dropin/exec": FOREIGN,
    "dropin/preload": FOREIGN,
    "dropin/judge": FOREIGN,
    "gpu": MPI,
    "group": FOREIGN,
    "transport": FOREIGN,
    "watch": FOREIGN,
    "simulate": FOREIGN,
    "select": FOREIGN,
    "model": FOREIGN,
    "choice": FOREIGN,
    "segment": FOREIGN,
    "registry": FOREIGN,
    "schedule": FOREIGN,
    "base": FOREIGN,
}
CLAIM = re.compile(r"\bno MPI\b", re.IGNORECASE)
SUFFIXES = {".c", ".cpp", ".cu", ".cuh", ".def", ".h", ".hpp", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include(?:_next)?\s*(["<])([^">]+)[">]')


def first_comment(text: str) -> str:
    """The // lines at the beginning of a file, in one line."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


class Tree:
    """The source files of a checkout, and their includes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.source = self.root / "src"
        tops = [self.root / name for name in ("src", "support", *PROGRAMS)]
        files = [file for top in tops for file in top.rglob("*") if file.suffix in SUFFIXES]
        self.texts = {file: file.read_text(encoding="utf-8") for file in sorted(files)}
        self.includes = {file: self._includes(text) for file, text in self.texts.items()}

    @staticmethod
    def _includes(text: str) -> list[tuple[int, str, str]]:
        """The line, quote and name of each #include."""
        matches = ((n, INCLUDE.match(line)) for n, line in enumerate(text.splitlines(), start=1))
        return [(number, *match.groups()) for number, match in matches if match]

    def name(self, path: Path) -> Path:
        """The name of a file in includes: from src/ on, or from the top of the tree."""
        if not path.is_absolute():
            return path
        in_source = path.is_relative_to(self.source)
        return path.relative_to(self.source if in_source else self.root)

    def room(self, path: Path) -> str | None:
        folders = [folder.as_posix() for folder in self.name(path).parents]
        return next((folder for folder in folders if folder in ROOMS + PROGRAMS), None)

    def target(self, file: Path, quote: str, name: str) -> Path:
        """The file that an include names, or the name if the file is not in the tree."""
        folders = [self.root, self.source]
        if quote == '"':
            own = self.root / file.relative_to(self.root).parts[0]
            folders = [file.parent, own, *folders, *(self.root / top for top in PROGRAMS)]
        paths = [(folder / name).resolve() for folder in folders]
        return next((path for path in paths if path in self.texts), Path(name))

    def included_room(self, file: Path, quote: str, name: str) -> str | None:
        if Path(name).parts[0] == PUBLIC_HEADERS:
            own = {"rondo_nccl": "gpu", "transport": "group"}
            stem = name.removeprefix(f"{PUBLIC_HEADERS}/")
            return next((own[one] for one in own if stem.startswith(one)), "exchange")
        return self.room(self.target(file, quote, name))

    def way_to(self, forbidden: re.Pattern, path: Path, seen: set[Path]) -> list[str] | None:
        """The chain of includes from `path` to a forbidden header, if there is one."""
        if path not in self.texts:
            return [path.as_posix()] if forbidden.match(path.as_posix()) else None
        if path in seen:
            return None
        seen.add(path)
        for _, quote, name in self.includes[path]:
            way = self.way_to(forbidden, self.target(path, quote, name), seen)
            if way:
                return [self.name(path).as_posix(), *way]
        return None


def is_above(target: str, room: str) -> bool:
    """Whether it must not be included. The folders of programs are above all others."""
    if target in PROGRAMS or room in PROGRAMS:
        return target in PROGRAMS and target != room
    return ROOMS.index(target) < ROOMS.index(room)


def wrong_include(tree: Tree, file: Path, quote: str, name: str) -> str | None:
    """The violation of one include, or None."""
    room = tree.room(file)
    target = tree.included_room(file, quote, name)
    if target and is_above(target, room):
        where = "beside" if room in PROGRAMS else "above"
        return f"{room}/ must not include {name}: {target}/ is {where} it"
    forbidden, claimer = FORBIDDEN.get(room), f"{room}/"
    if forbidden is None and CLAIM.search(first_comment(tree.texts[file])):
        forbidden, claimer = MPI, file.name
    way = forbidden and tree.way_to(forbidden, tree.target(file, quote, name), set())
    if not way:
        return None
    through = f", which {way[-2]} includes" if len(way) > 1 else ""
    return f"{claimer} must compile without {way[-1]}{through}"


def check_file(tree: Tree, file: Path) -> list[str]:
    """All violations of one file, as FILE:LINE: TEXT."""
    if tree.room(file) is None:
        first = tree.name(file).parts[0]
        return [f"{file}:1: {first} is not a room of the design: {', '.join(ROOMS)}"]
    found = []
    for number, quote, name in tree.includes[file]:
        wrong = wrong_include(tree, file, quote, name)
        if wrong:
            found.append(f"{file}:{number}: {wrong}")
    return found


def check_tree(root: Path) -> tuple[int, list[str]]:
    """The number of files that were checked, and all violations."""
    tree = Tree(root)
    return len(tree.texts), [wrong for file in tree.texts for wrong in check_file(tree, file)]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: check_rooms.py ROOT", file=sys.stderr)
        return 2
    files, violations = check_tree(Path(sys.argv[1]))
    if files == 0:
        violations = [f"{sys.argv[1]}: no source files"]
    print("\n".join(violations) or f"{files} files include downward only")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
