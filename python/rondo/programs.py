"""Where Rondo's native programs are: in the package, beside the `rondo` command, or on PATH."""

import shutil
import sysconfig
from pathlib import Path

from rondo import _core

# What is compiled lies there; in an editable installation Python's files lie elsewhere.
PACKAGED = Path(_core.__file__).parent / "bin"


class ProgramNotFound(LookupError):
    """A program that is not there; the text says where it was looked for."""


def find(name: str) -> Path:
    """The path of a program."""
    for folder in (str(PACKAGED), sysconfig.get_path("scripts"), None):
        found = shutil.which(name, path=folder)
        if found:
            return Path(found).absolute()
    raise ProgramNotFound(
        f"found no {name}: this package was built without it, and there is none on PATH"
    )
