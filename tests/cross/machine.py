"""A processor other than this one: how Rondo is built for it, and how its programs run here."""

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import foreign
from outcome import Failure

SOURCE = Path(__file__).resolve().parents[2]
PACKAGES = ["libopenmpi-dev", "openmpi-bin", "libgtest-dev", "libfftw3-dev"]
SETTINGS = {
    "CMAKE_BUILD_TYPE": "Quick",
    "CMAKE_CXX_FLAGS": "-O1",
    "CMAKE_UNITY_BUILD": "ON",
    "RONDO_WERROR": "ON",
    "RONDO_WITH_FORTRAN": "OFF",
    "RONDO_CUDA": "OFF",
}
TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_SYSROOT {system})
set(CMAKE_C_COMPILER {compiler}-gcc)
set(CMAKE_CXX_COMPILER {compiler}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR "{emulator}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
"""
# Its own wrappers are programs for the other processor.
WRAPPER = """\
#!/bin/sh
case "$1" in
  -showme:compile) echo "-I{mpi}/include" ;;
  -showme:incdirs) echo "{mpi}/include" ;;
  -showme:link) echo "-L{mpi}/lib -lmpi" ;;
  -showme:libdirs) echo "{mpi}/lib" ;;
  *) echo "wrapper: $1 is not known" >&2; exit 1 ;;
esac
"""
LAUNCHER = """\
#!/bin/sh
exec {emulator} {system}/usr/bin/mpirun.openmpi "$@"
"""


def run(*command, variables=(), reason, **settings):
    """Run a command whose output is seen at once. If it fails, the row fails."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    environment = {**os.environ, **dict(variables)}
    if subprocess.run(words, check=False, env=environment, **settings).returncode != 0:
        raise Failure(reason)


@dataclass(frozen=True)
class Machine:
    """A processor, as the kernel, Debian and the compilers call it."""

    processor: str
    architecture: str
    triplet: str
    release: str  # of Debian, that has this architecture
    folder: Path
    jobs: int

    @functools.cached_property
    def system(self):
        place = self.folder / self.processor
        return foreign.unpack_for(self.architecture, self.release, place, PACKAGES)

    @functools.cached_property
    def emulator(self):
        name = f"qemu-{self.processor}-static"
        return [foreign.program(name, "qemu-user-static", self.folder), "-L", self.system]

    @property
    def build_folder(self):
        return self.folder / self.processor / "build"

    def make_toolchain(self, compiler, emulator):
        """The folder of toolchain.cmake, and of mpicc, mpicxx and mpiexec for this processor."""
        place = self.folder / self.processor / "tools"
        place.mkdir(exist_ok=True)
        values = {
            "processor": self.processor,
            "system": self.system,
            "compiler": str(compiler).removesuffix("-g++"),
            "mpi": self.system / "usr/lib" / self.triplet / "openmpi",
        }

        def write(name, text, separator=" "):
            file = place / name
            told = text.format(**values, emulator=separator.join(map(str, emulator)))
            file.write_text(told, encoding="utf-8")
            file.chmod(0o755)

        write("toolchain.cmake", TOOLCHAIN, separator=";")
        write("mpicc", WRAPPER)
        write("mpicxx", WRAPPER)
        write("mpiexec", LAUNCHER)
        return place

    def build(self, emulator=(), settings=()):
        name = f"{self.triplet}-g++"
        compiler = foreign.program(name, f"g++-{self.triplet}", self.folder)
        tools = self.make_toolchain(compiler, emulator)
        values = {
            **SETTINGS,
            "CMAKE_TOOLCHAIN_FILE": tools / "toolchain.cmake",
            "MPI_CXX_COMPILER": tools / "mpicxx",
            **dict(settings),
        }
        variables = {
            "LD_LIBRARY_PATH": os.pathsep.join(map(str, foreign.libraries_of(compiler))),
            "PKG_CONFIG_LIBDIR": str(self.system / "usr/lib" / self.triplet / "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": str(self.system),
        }
        defined = [f"-D{name}={value}" for name, value in values.items()]
        run(
            *("cmake", "-S", SOURCE, "-B", self.build_folder, *defined),
            variables=variables,
            reason="cannot be configured",
        )
        run(
            *("cmake", "--build", self.build_folder, "-j", self.jobs),
            variables=variables,
            reason="cannot be built",
        )
        return f"built by {compiler.name} without a warning"
