#!/usr/bin/env python3
"""Build what check_gpu.py runs, with neither MPI nor a network: CUDA and NCCL are enough.

    build_programs.py BUILD [--python PYTHON] [--nccl FOLDER] [CMAKE ARGUMENT...]

FOLDER has include/nccl.h and lib/libnccl.so.2; by default it is that of PYTHON's package, if it has
one, or of CUDA. With nanobind and its headers PYTHON gets the package rondo, in BUILD/site.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ["rondo-bench-gpu", "rondo_gpu_emulator", "nccl_hang"]
MODULES = ["rondo_group", "rondo_nccl", "_core_stub", "_group_stub"]
SETTINGS = [
    *("-DRONDO_MPI=OFF", "-DRONDO_CUDA=ON", "-DRONDO_UNIT_TESTS=OFF"),
    *("-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16"),
]
# What Python says of itself, in lines: where its headers, nanobind and NCCL are, if they are there.
PROBE = """
import importlib.util, os, sysconfig
include = sysconfig.get_path("include")
print(include if os.path.exists(os.path.join(include, "Python.h")) else "")
try:
    import nanobind
    print(nanobind.cmake_dir())
except ImportError:
    print()
try:
    nccl = importlib.util.find_spec("nvidia.nccl")
    print(nccl.submodule_search_locations[0] if nccl else "")
except ImportError:
    print()
"""


def say(text):
    print(f"build_programs: {text}", flush=True)


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


def probed(python):
    """The headers, nanobind and NCCL of a Python; empty texts for what it has not."""
    try:
        said = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
    except OSError as error:
        say(str(error))
        return "", "", ""
    return (*said.stdout.split("\n"), "", "", "")[:3]


def of_python(python, headers, nanobind):
    """The arguments for the package, or none where it cannot be built."""
    if headers and nanobind:
        return ["-DRONDO_PYTHON=ON", f"-DPython_EXECUTABLE={python}", f"-Dnanobind_DIR={nanobind}"]
    say(f"{python} has no {'nanobind' if headers else 'Python.h'}, so it gets no package")
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--nccl", type=Path)
    options, others = parser.parse_known_args()
    build, python = options.build.resolve(), shutil.which(options.python) or options.python
    headers, nanobind, nccl = probed(python)
    nccl = options.nccl.resolve() if options.nccl else nccl
    package = of_python(python, headers, nanobind)
    root = ["-URONDO_NCCL_*"]  # another one may have been found before
    root += [f"-DNCCL_ROOT={nccl}"] if nccl else []
    run("cmake", "-S", SOURCE, "-B", build, *SETTINGS, *package, *root, *others)
    make = ["cmake", "--build", build, "-j", os.cpu_count() or 2, "--target"]
    run(*make, *PROGRAMS)
    if package:
        run(*make, *MODULES)
        site = build / "site"
        shutil.copytree(SOURCE / "python/rondo", site / "rondo", dirs_exist_ok=True)
        run("cmake", "--install", build, "--component", "python", "--prefix", site)


if __name__ == "__main__":
    main()
