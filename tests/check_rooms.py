#!/usr/bin/env python3
"""Check that #include lines only point down the list of rooms of the design."""

import re
import sys
from pathlib import Path

# Folders of programs: beside each other above all rooms, and without includes of each other.
PROGRAMS = ["apps", "bench"]
# From the top; a room may include itself and what stands below it. All but the first are folders of
# src/. The public headers are api's, but for those of gpu.
ROOMS = [
    "support",
    "interpose",
    "api",
    "communicator",
    "buffers",
    "gpu",
    "exchange",
    "simulate",
    "select",
    "model",
    "choice",
    "node",
    "registry",
    "schedule",
    "base",
]
PUBLIC_HEADERS = "rondo"
# Rooms that compile on a machine with neither MPI nor CUDA.
PURE_ROOMS = {"select", "node", "simulate", "model", "choice", "registry", "schedule", "base"}
FOREIGN = re.compile(r"(mpi|cuda|nccl)", re.IGNORECASE)
SUFFIXES = {".c", ".cpp", ".cu", ".cuh", ".def", ".h", ".hpp", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include(?:_next)?\s*(["<])([^">]+)[">]')


def room_of(path: Path) -> str:
    """Of a path from the top of the tree."""
    return path.parts[1] if path.parts[0] == "src" else path.parts[0]


def included_room(tree: Path, file: Path, quote: str, name: str) -> str | None:
    """The room an include leads to, or None where it leads out of the tree."""
    own = tree / file.relative_to(tree).parts[0]
    folders = [file.parent, own, tree, tree / "src", *(tree / program for program in PROGRAMS)]
    for folder in folders if quote == '"' else []:
        path = (folder / name).resolve()
        if path.is_file() and path.is_relative_to(tree):
            return room_of(path.relative_to(tree))
    first = Path(name).parts[0]
    if first == PUBLIC_HEADERS:
        return "gpu" if name.startswith(f"{PUBLIC_HEADERS}/rondo_nccl") else "api"
    return first if first in ROOMS + PROGRAMS else None


def is_above(target: str, room: str) -> bool:
    """Whether it must not be included: the programs' folders are above all others."""
    if target in PROGRAMS:
        return target != room
    return target in ROOMS and room in ROOMS and ROOMS.index(target) < ROOMS.index(room)


def wrong_include(tree: Path, file: Path, quote: str, name: str) -> str | None:
    """What is wrong with one include, or None."""
    room = room_of(file.relative_to(tree))
    if room in PURE_ROOMS and FOREIGN.match(name):
        return f"{room}/ must compile without {name}"
    target = included_room(tree, file, quote, name)
    if target and is_above(target, room):
        where = "beside" if room in PROGRAMS else "above"
        return f"{room}/ must not include {name}: {target}/ is {where} it"
    return None


def check_file(tree: Path, file: Path) -> list[str]:
    """All violations of one file, as FILE:LINE: TEXT."""
    room = room_of(file.relative_to(tree))
    if room not in ROOMS + PROGRAMS:
        return [f"{file}:1: {room} is not a room of the design: {', '.join(ROOMS)}"]
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        wrong = match and wrong_include(tree, file, *match.groups())
        if wrong:
            found.append(f"{file}:{number}: {wrong}")
    return found


def check_tree(tree: Path) -> tuple[int, list[str]]:
    """The number of files looked at, and all violations."""
    tree = tree.resolve()
    folders = [tree / name for name in ("src", "support", *PROGRAMS)]
    files = [file for folder in folders for file in sorted(folder.rglob("*"))]
    files = [file for file in files if file.suffix in SUFFIXES]
    return len(files), [violation for file in files for violation in check_file(tree, file)]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: check_rooms.py TREE", file=sys.stderr)
        return 2
    files, violations = check_tree(Path(sys.argv[1]))
    if files == 0:
        violations = [f"{sys.argv[1]}: no source files"]
    print("\n".join(violations) or f"{files} files include downward only")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
