"""Rondo's native programs: in the package, or on PATH. The package has an entry point for each."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from rondo import _core

# What is compiled lies there; in an editable installation Python's files lie elsewhere.
PACKAGED = Path(_core.__file__).parent / "bin"


class ProgramNotFound(LookupError):
    """A program that is not there; the text says where it was looked for."""


def find(name: str) -> Path:
    """The path of a program."""
    for folder in (str(PACKAGED), *os.get_exec_path()):
        found = shutil.which(name, path=folder or os.curdir)
        if found and not _is_entry_point(Path(found)):
            return Path(found).absolute()
    raise ProgramNotFound(
        f"found no {name}: this package was built without it, and there is none on PATH"
    )


def become() -> NoReturn:
    """The entry point of every program: becomes the program of that name."""
    try:
        program = str(find(Path(sys.argv[0]).name))
        os.execv(program, [program, *sys.argv[1:]])
    except (ProgramNotFound, OSError) as error:
        sys.exit(f"rondo: {error}")


def _is_entry_point(file: Path) -> bool:
    """Whether it is a script that pip has made, which becomes what is looked for."""
    try:
        with file.open("rb") as script:
            begin = script.read(4096)
    except OSError:
        return False
    return begin.startswith(b"#!") and b"rondo.programs" in begin
