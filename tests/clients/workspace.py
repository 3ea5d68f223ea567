"""The folder below the build tree that holds what the clients need: an installed Rondo, Python
environments, fetched sources, compiled programs."""

import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path

from launching import calling
from outcome import Skip

SOURCE = Path(__file__).resolve().parents[2]
DEBIANS_PYTHON = "/usr/bin/python3"
MPI4PY = "mpi4py==4.1.2"
NEEDED = "scikit-build-core nanobind numpy rich typer".split()
# Only the command of the package is used.
OPTIONS = (
    "cmake.build-type=Quick",
    "cmake.define.CMAKE_CXX_FLAGS=-O0",
    "cmake.define.RONDO_MPI=OFF",
)
LINES_SHOWN = 5
SECONDS = 900


def succeed(*command, reason, **settings):
    """The output of a command. If it fails, the row is skipped."""
    try:
        done = calling.run(*command, timeout=SECONDS, stderr=subprocess.STDOUT, **settings)
    except OSError as error:
        raise Skip(f"{reason}: {error}") from error
    if done.returncode != 0:
        last = " / ".join(done.stdout.strip().splitlines()[-LINES_SHOWN:])
        raise Skip(f"{reason}: {last}")
    return done.stdout


def installed(program, package):
    found = shutil.which(program)
    if not found:
        raise Skip(f"there is no {program} (Debian: {package})")
    return found


def remembered(method):
    """Makes a method do its work once. A reason to skip is remembered too."""
    answers = {}

    @functools.wraps(method)
    def once(*arguments):
        if arguments not in answers:
            try:
                answers[arguments] = (method(*arguments), None)
            except Skip as reason:
                answers[arguments] = (None, reason)
        result, reason = answers[arguments]
        if reason is not None:
            raise reason
        return result

    return once


class Workspace:
    def __init__(self, folder, builds):
        self.folder = folder.resolve()
        self.builds = [build.resolve() for build in builds]
        self.prefix = self.folder / "rondo"
        self.folder.mkdir(parents=True, exist_ok=True)

    @remembered
    def install(self):
        """Rondo for the families of all builds, side by side in one prefix."""
        for build in self.builds:
            if (build / "CMakeCache.txt").exists():
                words = ["cmake", "--install", build, "--prefix", self.prefix]
                succeed(*words, reason=f"{build} cannot be installed; is it built?")
        if not self.exec_path().exists():
            raise Skip(f"none of {', '.join(map(str, self.builds))} is a build of Rondo")

    def exec_path(self):
        return self.prefix / "bin/rondo-exec"

    def require_family(self, family):
        self.install()
        if not (self.prefix / "lib/rondo" / family / "librondo_dropin.so").exists():
            raise Skip(f"there is no build of Rondo for the family {family}")

    def require_component(self):
        self.install()
        if not list((self.prefix / "lib/rondo/openmpi").glob("*/mca_coll_rondo.so")):
            raise Skip("there is no build of Rondo with a component for Open MPI")

    def environment(self, name, *packages, options=()):
        """The folder of a Python environment with these packages."""
        venv = self.folder / name
        python = venv / "bin/python"
        if not python.exists():
            reason = "python3 -m venv does not work here"
            succeed(sys.executable, "-m", "venv", venv, reason=reason)
        pip = [python, "-m", "pip", "install", "-q", *options]
        succeed(*pip, *packages, reason=f"pip cannot install {' '.join(map(str, packages))}")
        return venv

    @remembered
    def python(self):
        """The environment with the command `rondo` and mpi4py.

        The command is built without MPI: it takes the programs of `prefix`, which serve all
        families.
        """
        venv = self.environment("python", MPI4PY, *NEEDED)
        settings = [*OPTIONS, f"build-dir={self.folder / 'python-build'}"]
        pip = [venv / "bin/python", "-m", "pip", "install", "-q", "--no-deps"]
        pip += ["--no-build-isolation", *(f"--config-settings={one}" for one in settings)]
        succeed(*pip, SOURCE, reason="the command rondo cannot be installed")
        return venv

    @remembered
    def mpi4py_tests(self):
        """The folder of the tests in mpi4py's source distribution."""
        python = self.python() / "bin/python"
        archives = self.folder / "sdist"
        pip = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "mpi4py"]
        reason = "the source distribution of mpi4py cannot be had"
        succeed(*pip, "--dest", archives, MPI4PY, reason=reason)
        name = MPI4PY.replace("==", "-")
        shutil.unpack_archive(archives / f"{name}.tar.gz", archives)
        return archives / name / "test"

    def compiled(self, name, compiler, *words):
        """The path of a program that the MPI's compiler wrapper makes."""
        if compiler is None or not shutil.which(compiler):
            raise Skip(f"this MPI has no compiler wrapper for {name}")
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        succeed(compiler, *words, "-o", programs / name, reason=f"{name} cannot be compiled")
        return programs / name


def families_of(program):
    """The families of the MPI libraries that a program is linked to."""
    said = succeed("ldd", program, reason="ldd does not work")
    sonames = {"openmpi": r"libmpi\.so\.40", "mpich": r"libmpi(?:ch)?\.so\.12"}
    return [name for name, soname in sonames.items() if re.search(soname + " ", said)]
