"""Building Rondo for other processors, with Debian's cross-compilers and packages, and running
programs for them under qemu. Nothing is installed."""

import functools
import os
from dataclasses import dataclass
from pathlib import Path

import foreign

TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_SYSROOT {system})
set(CMAKE_FIND_ROOT_PATH {mpi})
set(CMAKE_C_COMPILER {compiler}-gcc)
set(CMAKE_CXX_COMPILER {compiler}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR "{emulator}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
"""
# The MPI's own wrappers are programs for the other processor. CMake asks these in their place.
WRAPPER = """\
#!/bin/sh
case "$1" in
  -showme:compile) echo "-I{mpi}/include {flags}" ;;
  -showme:incdirs) echo "{mpi}/include" ;;
  -showme:link) echo "-L{mpi}/lib -l{library}" ;;
  -showme:libdirs) echo "{mpi}/lib" ;;
  *) echo "this wrapper only answers -showme:compile, incdirs, link and libdirs" >&2; exit 1 ;;
esac
"""
START = """\
#!/bin/sh
exec {command} "$@"
"""


@dataclass(frozen=True)
class Processor:
    """As the kernel, Debian and the compilers call it."""

    name: str
    architecture: str
    triplet: str
    release: str  # of Debian, that has this architecture


PROCESSORS = {
    one.name: one
    for one in (
        Processor("aarch64", "arm64", "aarch64-linux-gnu", "bookworm"),
        Processor("ppc64le", "ppc64el", "powerpc64le-linux-gnu", "bookworm"),
        Processor("riscv64", "riscv64", "riscv64-linux-gnu", "trixie"),
    )
}


@dataclass(frozen=True)
class Mpi:
    """An MPI library for the other processor, unpacked."""

    prefix: Path
    library: str = "mpi"
    flags: str = ""


class Cross:
    """What is needed to build for a processor with Debian's `packages`, below `folder`."""

    def __init__(self, processor, packages, folder):
        self.processor = PROCESSORS[processor]
        self.packages = packages
        self.folder = folder
        self.place = folder / processor

    @functools.cached_property
    def system(self):
        one = self.processor
        return foreign.unpack_for(one.architecture, one.release, self.place, self.packages)

    @functools.cached_property
    def emulator(self):
        """The command that runs a program, which follows it."""
        name = f"qemu-{self.processor.name}-static"
        return [foreign.program(name, "qemu-user-static", self.folder), "-L", self.system]

    @functools.cached_property
    def compiler(self):
        triplet = self.processor.triplet
        return foreign.program(f"{triplet}-g++", f"g++-{triplet}", self.folder)

    @property
    def variables(self):
        """For CMake and for what it starts."""
        return {
            "LD_LIBRARY_PATH": os.pathsep.join(map(str, foreign.libraries_of(self.compiler))),
            "PKG_CONFIG_LIBDIR": str(self.system / f"usr/lib/{self.processor.triplet}/pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": str(self.system),
        }

    def debian_mpi(self):
        return Mpi(self.system / "usr/lib" / self.processor.triplet / "openmpi")

    def settings(self, mpi, folder, emulator=()):
        """What CMake must be told. Without an emulator it runs nothing."""
        folder.mkdir(parents=True, exist_ok=True)
        toolchain = TOOLCHAIN.format(
            processor=self.processor.name,
            system=self.system,
            mpi=mpi.prefix,
            compiler=str(self.compiler).removesuffix("-g++"),
            emulator=";".join(map(str, emulator)),
        )
        (folder / "toolchain.cmake").write_text(toolchain, encoding="utf-8")
        wrapper = WRAPPER.format(mpi=mpi.prefix, library=mpi.library, flags=mpi.flags)
        for name in ("mpicc", "mpicxx"):
            write_program(folder / name, wrapper)
        launcher = [*emulator, self.system / "usr/bin/mpirun.openmpi"]
        self.write_start(folder / "mpiexec", launcher)
        return {
            "CMAKE_TOOLCHAIN_FILE": folder / "toolchain.cmake",
            "MPI_CXX_COMPILER": folder / "mpicxx",
        }

    def write_start(self, path, command):
        """A program that starts a command, whose further arguments follow."""
        write_program(path, START.format(command=" ".join(map(str, command))))


def write_program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
