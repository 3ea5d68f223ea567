#!/usr/bin/env python3
"""Check that #include lines in src/ only point down the list of rooms of the design."""

import re
import sys
from pathlib import Path

# From the top; a room may include itself and what stands below it. The public headers are api's,
# but for those of gpu.
ROOMS = [
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


def included_room(source: Path, file: Path, quote: str, name: str) -> str | None:
    """The room an include leads to, or None where it leads out of src/."""
    beside = (file.parent / name).resolve()
    if quote == '"' and beside.is_file() and beside.is_relative_to(source):
        return beside.relative_to(source).parts[0]
    first = Path(name).parts[0]
    if first == PUBLIC_HEADERS:
        return "gpu" if name.startswith(f"{PUBLIC_HEADERS}/rondo_nccl") else "api"
    return first if first in ROOMS else None


def wrong_include(source: Path, file: Path, quote: str, name: str) -> str | None:
    """What is wrong with one include, or None."""
    room = file.relative_to(source).parts[0]
    if room in PURE_ROOMS and FOREIGN.match(name):
        return f"{room}/ must compile without {name}"
    target = included_room(source, file, quote, name)
    if target in ROOMS and ROOMS.index(target) < ROOMS.index(room):
        return f"{room}/ must not include {name}: {target}/ is above it"
    return None


def check_file(source: Path, file: Path) -> list[str]:
    """All violations of one file, as FILE:LINE: TEXT."""
    room = file.relative_to(source).parts[0]
    if room not in ROOMS:
        return [f"{file}:1: {room} is not a room of the design: {', '.join(ROOMS)}"]
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        wrong = match and wrong_include(source, file, *match.groups())
        if wrong:
            found.append(f"{file}:{number}: {wrong}")
    return found


def check_tree(source: Path) -> tuple[int, list[str]]:
    """The number of files looked at, and all violations."""
    source = source.resolve()
    files = sorted(file for file in source.rglob("*") if file.suffix in SUFFIXES)
    return len(files), [violation for file in files for violation in check_file(source, file)]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: check_rooms.py SRC", file=sys.stderr)
        return 2
    files, violations = check_tree(Path(sys.argv[1]))
    if files == 0:
        violations = [f"{sys.argv[1]}: no source files"]
    print("\n".join(violations) or f"{files} files include downward only")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
