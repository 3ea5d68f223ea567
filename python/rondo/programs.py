"""Finds Rondo's native programs, in the package or on PATH."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from rondo import _core, mpi_library

# Compiled files are there; in an editable installation Python's files are elsewhere.
PACKAGED = Path(_core.__file__).parent / "bin"


CANNOT_START = 3  # as in rondo.commands.status, which every program need not load


class ProgramNotFound(LookupError):
    """A program was not found; the text says where it was searched."""


class Command(NamedTuple):
    """The words that start a program."""

    words: list[str]
    family: str  # of the MPI library that they bring; empty where the program brings its own


def find(name: str) -> Path:
    """The path of a program that needs no MPI, or is on PATH."""
    for folder in (str(PACKAGED), *os.get_exec_path()):
        found = shutil.which(name, path=folder or os.curdir)
        if found and not _is_entry_point(Path(found)):
            return Path(found).absolute()
    raise ProgramNotFound(
        f"{name} not found: this package was built without it, and it is not on PATH"
    )


def command(name: str, launch: Sequence[str] = ()) -> Command:
    """What starts a program, with the MPI library that belongs to the command `launch`."""
    own = [family for family in mpi_library.families() if _packaged(name, family).exists()]
    if not own:
        return Command([str(find(name))], "")
    library = mpi_library.find(launch)
    if library.family not in own:
        raise ProgramNotFound(
            f"found no {name} for {library.family}: it is there for {', '.join(own)}"
        )
    preload = f"LD_PRELOAD={_preload(library.file)}"
    return Command(["env", preload, str(_packaged(name, library.family))], library.family)


def script(name: str) -> Path:
    """One word that starts a program; it finds the MPI library anew on every rank.

    For a program of the package this is the script that pip has made for it.
    """
    if not any(_packaged(name, family).exists() for family in mpi_library.families()):
        return find(name)
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    found = shutil.which(name, path=path)
    if not found:
        raise ProgramNotFound(f"found no {name} where pip installs scripts, nor on PATH")
    return Path(found).absolute()


def become() -> NoReturn:
    """The entry point of every program: run the program of the same name."""
    try:
        words = command(Path(sys.argv[0]).name).words
        os.execvp(words[0], [*words, *sys.argv[1:]])
    except (ProgramNotFound, mpi_library.MpiNotFound, OSError) as error:
        print(f"rondo: {error}", file=sys.stderr)
        sys.exit(CANNOT_START)


def _packaged(name: str, family: str) -> Path:
    return mpi_library.LIBRARIES / family / "bin" / name


def _preload(file: str) -> str:
    """Behind what is already preloaded, which may replace functions of the MPI library."""
    if any(character in file for character in " :"):
        raise ProgramNotFound(
            f"{file} cannot be preloaded, because spaces and colons separate LD_PRELOAD: put its "
            "folder into LD_LIBRARY_PATH, and its mpirun not on PATH"
        )
    return ":".join(filter(None, [os.environ.get("LD_PRELOAD"), file]))


def _is_entry_point(file: Path) -> bool:
    """Whether the file is pip's script for an entry point and not the program itself."""
    try:
        with file.open("rb") as script:
            begin = script.read(4096)
    except OSError:
        return False
    return begin.startswith(b"#!") and b"rondo.programs" in begin
