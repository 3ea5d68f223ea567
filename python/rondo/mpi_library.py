"""The MPI library that programs run with on this machine, and the MPI family it belongs to.

The package has libraries for several families, and none of them is linked to an MPI library:
whatever is found here is loaded before them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rondo import _core, launchers
from rondo.option_words import HYDRA, OPEN_MPI, CannotRewrite

# What is compiled for a family lies in a folder of its name.
LIBRARIES = Path(_core.__file__).parent / "lib/rondo"

# By these names programs ask for their MPI library; Debian's MPICH has a name of its own.
SONAMES = {
    "openmpi": ("libmpi.so.40",),
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
    "abi": ("libmpi_abi.so.1", "libmpi_abi.so.0"),
}
# What a launcher leaves running on each node: the parent of the ranks.
_DAEMONS = {
    "orted": "openmpi",
    "prted": "openmpi",
    "hydra_pmi_proxy": "mpich",
    "hydra_bstrap_proxy": "mpich",
}
_LAUNCHERS = {OPEN_MPI.program: "openmpi", HYDRA.program: "mpich"}
# Below the prefix of an MPI; the last one is Intel's.
_FOLDERS = ("lib", "lib64", f"lib/{sysconfig.get_config_var('MULTIARCH')}", "lib/release")
_LONGEST_VERSION = 8192  # MPI_MAX_LIBRARY_VERSION_STRING of the standard ABI; others have less


class MpiNotFound(LookupError):
    """There is no MPI library that the package can be used with; the text says what to do."""


class MpiLibrary(NamedTuple):
    """An MPI library, as the dynamic linker finds it: a path, or a soname."""

    family: str
    file: str


def families() -> tuple[str, ...]:
    """The MPI families that this package was built for."""
    return tuple(family for family in SONAMES if (LIBRARIES / family / "librondo.so.1").exists())


def find(launch: Sequence[str] = ()) -> MpiLibrary:
    """The MPI library of a launch command; or of what has started this process; or of PATH.

    Where no launcher has a library beside it, the first one that the dynamic linker knows.
    """
    own = families()
    for launcher in _launchers(launch, own):
        family = _family_of(launcher)
        found = _library_of(launcher, family, own) if family else None
        if found:
            return found
    for family in own:
        found = _known_to_the_linker(family)
        if found:
            return found
    raise MpiNotFound(
        f"found no MPI library that this package is built for ({', '.join(own) or 'none'}): put "
        "its mpirun on PATH, or the folder of its library into LD_LIBRARY_PATH"
    )


def family_here() -> str:
    """The family of the MPI library that is found here; empty where there is none."""
    try:
        return find().family
    except MpiNotFound:
        return ""


def version_here() -> str | None:
    """What the MPI library that is found here says of itself; None where there is none."""
    try:
        library = ctypes.CDLL(find().file)
    except (MpiNotFound, OSError):
        return None
    text = ctypes.create_string_buffer(_LONGEST_VERSION + 1)
    if library.MPI_Get_library_version(text, ctypes.byref(ctypes.c_int())) != 0:
        return None
    return text.value.decode(errors="replace")


def make_global(family: str) -> None:
    """Let what is not linked to MPI find the functions of the library that the process has."""
    for soname in SONAMES[family]:
        try:
            ctypes.CDLL(soname, mode=os.RTLD_NOLOAD | os.RTLD_LAZY | os.RTLD_GLOBAL)
        except OSError:
            continue  # this process has it by another name


def _launchers(launch: Sequence[str], own: Sequence[str]) -> Iterator[Path]:
    """Programs that may be launchers, those first that this process is sure to belong to."""
    for word in launch:
        found = shutil.which(word)
        if found:
            yield Path(found)
    yield from _ancestors()
    names = ["mpirun", "mpiexec"]
    names += [f"{name}.{family}" for family in own for name in ("mpirun", "mpiexec")]
    for folder in os.get_exec_path():
        for name in [*names, "mpiexec.hydra"]:
            found = shutil.which(name, path=folder or os.curdir)
            if found:
                yield Path(found)


def _ancestors() -> Iterator[Path]:
    """The programs that this process was started by, its parent first."""
    process = os.getppid()
    while process > 1:
        folder = Path("/proc", str(process))
        try:
            status = (folder / "status").read_text(encoding="utf-8", errors="replace")
            program = (folder / "exe").resolve()
        except OSError:  # another user's
            return
        yield program
        process = int(status.partition("\nPPid:")[2].split()[0])


def _family_of(launcher: Path) -> str | None:
    """By its name, or by what it says of itself; None where it is no launcher."""
    for name in (launcher.name, launcher.resolve().name):
        if name in _DAEMONS:
            return _DAEMONS[name]
    try:
        return _LAUNCHERS.get(launchers.launcher_of(str(launcher)).program)
    except CannotRewrite:
        return None


def _library_of(launcher: Path, family: str, own: Sequence[str]) -> MpiLibrary | None:
    """The library beside a launcher, which may be that of the standard ABI alone."""
    wanted = [name for name in (family, "abi") if name in own]
    for name in wanted:
        for prefix in (launcher.parent.parent, launcher.resolve().parent.parent):
            for folder in _FOLDERS:
                for soname in SONAMES[name]:
                    if (prefix / folder / soname).exists():
                        return MpiLibrary(name, str(prefix / folder / soname))
    return next(filter(None, map(_known_to_the_linker, wanted)), None)


def _known_to_the_linker(family: str) -> MpiLibrary | None:
    """In LD_LIBRARY_PATH, or where the system has its libraries."""
    for soname in SONAMES[family]:
        try:
            ctypes.CDLL(soname)
        except OSError:
            continue
        return MpiLibrary(family, soname)
    return None
