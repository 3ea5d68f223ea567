"""Finds Rondo's native programs, in the package or on PATH."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from rondo import _core

# Compiled files are there; in an editable installation Python's files are elsewhere.
PACKAGED = Path(_core.__file__).parent / "bin"


class ProgramNotFound(LookupError):
    """A program was not found; the text says where it was searched."""


def find(name: str) -> Path:
    """The path of a program."""
    for folder in (str(PACKAGED), *os.get_exec_path()):
        found = shutil.which(name, path=folder or os.curdir)
        if found and not _is_entry_point(Path(found)):
            return Path(found).absolute()
    raise ProgramNotFound(
        f"{name} not found: this package was built without it, and it is not on PATH"
    )


def become() -> NoReturn:
    """The entry point of every program: run the program of the same name."""
    try:
        program = str(find(Path(sys.argv[0]).name))
        os.execv(program, [program, *sys.argv[1:]])
    except (ProgramNotFound, OSError) as error:
        sys.exit(f"rondo: {error}")


def _is_entry_point(file: Path) -> bool:
    """Whether the file is pip's script for an entry point and not the program itself."""
    try:
        with file.open("rb") as script:
            begin = script.read(4096)
    except OSError:
        return False
    return begin.startswith(b"#!") and b"rondo.programs" in begin
