#!/usr/bin/env python3
"""Install what the targets of the Makefile that write to dist have made, use it, and remove it.

    check_packages.py [--only TARGET|recipes]... [--dist DIST] [--folder FOLDER]

Wheels are used with several MPIs of PyPI, each in an environment of its own, where no compiler can
be called. Debian's packages are installed on this machine, so only root can check them. The archive
of `make measure-archive` measures without network; only root can take the network away. The recipe
for conda is rendered, not built.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
TESTS = SOURCE / "tests/python"
EXAMPLES = SOURCE / "examples"
MPIS = ("openmpi", "openmpi<5", "mpich", "mpich<5")
INTEL_MPI = "impi-rt==2021.19"
COMPILERS = "cc c++ gcc g++ clang clang++ gfortran ld as make ninja cmake".split()
SKIPPED = 77  # the status of a test that is skipped
PROGRAMS = [
    f"rondo-{name}" for name in "bench limit tune closure kcfa spmv config exec mpirun".split()
]
BENCH = "alltoall --bytes 16 --iterations 3 --warmup 1 --check".split()
QUICK = (
    "-DCMAKE_BUILD_TYPE=Quick",
    "-DCMAKE_CXX_FLAGS=-O1",
    "-DCMAKE_UNITY_BUILD=ON",
    "-DRONDO_WITH_FFTW=OFF",
)
# Prints the names of what the recipe for conda makes, and for which MPI.
RENDER = """
import sys
from rattler_build import Stage0Recipe, VariantConfig

variants = VariantConfig.from_file(sys.argv[2])
for one in Stage0Recipe.from_file(sys.argv[1]).render(variants):
    print(one.recipe.package.name, one.recipe.build.string)
"""
PAGES = [
    "man/man1/rondo-bench.1",
    "man/man1/rondo-exec.1",
    "bash-completion/completions/rondo-bench",
]
REPORT = "rondo: all-to-all of 2 ranks"
ANY_CORES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
# What would lead to another MPI than the one that is to be found.
NOT_KEPT = ("LD_LIBRARY_PATH", "LD_PRELOAD", "MPI4PY_MPIABI", "MPI4PY_LIBMPI", "PYTHONPATH")


class Place:
    """A folder, and an environment in which commands are run."""

    def __init__(self, folder, path=()):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if name not in NOT_KEPT}
        places = [*map(str, path), "/usr/bin", "/bin"]
        self.environment = {**kept, **ANY_CORES, "HOME": str(folder), "PATH": ":".join(places)}

    def run(self, *command, says=()):
        """Run it, and want these words of it."""
        done = subprocess.run(
            [str(word) for word in command],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=900,
        )
        text = " ".join(map(str, command))
        missing = [word for word in says if word not in done.stdout]
        if done.returncode != 0 or missing:
            sys.exit(f"{text}\n{done.stdout}ended with {done.returncode}, lacks {missing}")
        print(f"  ok: {text}", flush=True)
        return done.stdout


class Environment(Place):
    """A Python environment with an MPI of PyPI; with `compilers`, they can be called."""

    def __init__(self, folder, compilers):
        stops = folder / "stops"
        super().__init__(folder, [*([] if compilers else [stops]), folder / "venv/bin"])
        self.called = folder / "called"
        stops.mkdir()
        for name in COMPILERS:
            (stops / name).write_text(f'#!/bin/sh\necho "$0 $*" >>{self.called}\nexit 1\n')
            (stops / name).chmod(0o755)
        self.run(sys.executable, "-m", "venv", folder / "venv")

    def install(self, *packages):
        self.run("python", "-m", "pip", "install", "-q", *packages)

    def uninstall(self):
        self.run("python", "-m", "pip", "uninstall", "-q", "-y", "rondo")
        left = [path for path in (self.folder / "venv").rglob("rondo*") if path.is_file()]
        left += list((self.folder / "venv").rglob("librondo*"))
        if left:
            sys.exit(f"after pip uninstall there is {left}")

    def require_nothing_compiled(self):
        if self.called.exists():
            sys.exit(f"a compiler was called:\n{self.called.read_text()}")


def require_own_paths(place):
    """What is installed may search libraries in its own folders only."""
    for file in (place.folder / "venv").rglob("rondo/**/*"):
        if not file.is_file() or file.read_bytes()[:4] != b"\x7fELF":
            continue
        done = subprocess.run(
            ["readelf", "-d", file], stdout=subprocess.PIPE, text=True, check=True
        )
        paths = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", done.stdout)
        foreign = [path for path in ":".join(paths).split(":") if path and "$ORIGIN" not in path]
        if foreign:
            sys.exit(f"{file} searches {foreign}")


def use_package(place):
    """All that it brings to PATH, and the exchanges of Python."""
    launch = ["mpirun", "-n", "2"]
    calls = ["python", TESTS / "calls.py"]
    place.run("rondo", "run", "--stats", "--", *launch, *calls, "60", says=[REPORT])
    place.run("rondo", "run", "--ab", "--", *launch, *calls, "3000", says=["alltoall"])
    place.run(*launch, "python", TESTS / "exchanges.py", says=["cases right on 2 ranks"])
    for program in PROGRAMS:
        place.run(program, "--version", says=[f"{program} "])
    place.run(*launch, "rondo-bench", *BENCH, says=["mpi", "node_aware"])
    place.run("rondo", "bench", "-n", "2", *BENCH, says=["speedup", "mpi"])
    profile = place.folder / "profile.json"
    place.run("rondo", "tune", "--budget", "2s", "--output", profile, "--", *launch)
    place.run("rondo", "profile", "check", profile, says=["is valid here"])


def use_standard_abi(place):
    """MPICH 5 has a library for it, which programs ask for that were built so."""
    library = place.folder / "venv/lib/libmpi_abi.so.1"
    (program,) = (place.folder / "venv").rglob("rondo/lib/rondo/abi/bin/rondo-bench")
    preloaded = ["env", f"LD_PRELOAD={library}", program]
    place.run("mpirun", "-n", "2", *preloaded, *BENCH, says=["mpi", "node_aware"])


def check_wheel(dist, folder):
    (wheel,) = dist.glob("rondo-*.whl")
    for mpi in MPIS:
        print(f"{wheel.name} with {mpi}", flush=True)
        place = Environment(folder / f"wheel-{mpi.replace('<', '-')}", compilers=False)
        start = time.monotonic()
        place.install(wheel, "mpi4py", mpi)
        require_own_paths(place)
        use_package(place)
        print(f"  installed and used: {time.monotonic() - start:.0f} s", flush=True)
        if mpi == "mpich":
            use_standard_abi(place)
        place.require_nothing_compiled()
        place.uninstall()
    check_with_intel_mpi(wheel, folder)
    check_component(wheel, folder)


def check_component(wheel, folder):
    """PyPI's Open MPIs load no components, but Debian's does."""
    if not shutil.which("mpicc.openmpi"):
        print("skipped: the component of the wheel, because there is no Open MPI of Debian")
        return
    print(f"{wheel.name} with Debian's Open MPI", flush=True)
    place = Environment(folder / "wheel-component", compilers=True)
    place.install(wheel)
    place.run("mpicc.openmpi", SOURCE / "tests/dropin/exchanges.c", "-o", "not_linked")
    via = ["rondo-exec", "--via", "component", "--stats"]
    place.run("mpirun.openmpi", "-n", "2", *via, "./not_linked", says=[REPORT])
    place.uninstall()


def check_with_intel_mpi(wheel, folder):
    """Its ranks spin while they wait, so each must have a core of its own."""
    print(f"{wheel.name} with {INTEL_MPI}", flush=True)
    place = Environment(folder / "wheel-intel", compilers=False)
    place.install(wheel, "mpi4py")
    place.install("--no-deps", INTEL_MPI)  # what it depends on is for GPUs
    use_package(place)
    place.require_nothing_compiled()
    place.uninstall()


def check_sdist(dist, folder):
    (archive,) = dist.glob("rondo-[0-9]*.tar.gz")
    print(archive.name, flush=True)
    place = Environment(folder / "sdist", compilers=True)
    place.install("mpi4py", "openmpi")
    place.environment["CMAKE_ARGS"] = " ".join(QUICK)
    place.install(archive)
    use_package(place)
    place.uninstall()


def use_debian(place, name):
    """As a user of the library, and of programs that are not linked to it."""
    family = name.partition("-")[2]
    launch = [f"mpirun.{family}", "-n", "2"]
    place.run(*launch, "rondo-bench", *BENCH, says=["mpi", "node_aware"])
    for compiler, example, package in (
        (f"mpicc.{family}", "example.c", f"rondo-{family}"),
        (f"mpifort.{family}", "example.f90", f"rondo-fortran-{family}"),
    ):
        flags = place.run("pkg-config", "--cflags", "--libs", package).split()
        place.run(compiler, EXAMPLES / example, *flags, "-o", "example")
        place.run(*launch, "./example", says=["received"])
    place.run(f"mpicc.{family}", SOURCE / "tests/dropin/exchanges.c", "-o", "not_linked")
    place.run(*launch, "rondo-exec", "--stats", "./not_linked", says=[REPORT])


def check_deb(dist, folder):
    if os.geteuid() != 0:
        print("Debian packages: skipped, since only root can install them")
        return
    for archive in sorted(dist.glob("rondo-*_*.deb")):
        name = archive.name.partition("_")[0]
        print(archive.name, flush=True)
        place = Place(folder / name)
        place.environment["DEBIAN_FRONTEND"] = "noninteractive"
        place.run("apt-get", "install", "-q", "-y", archive)
        files = [Path(line) for line in place.run("dpkg", "-L", name).split("\n") if line]
        files = [file for file in files if file.is_symlink() or file.is_file()]
        missing = [page for page in PAGES if Path("/usr/share", page) not in files]
        if missing:
            sys.exit(f"{archive.name} has no {missing}")
        use_debian(place, name)
        place.run("apt-get", "purge", "-q", "-y", name)
        left = [str(file) for file in files if file.exists()]
        if left or not files:
            sys.exit(f"after apt-get purge there is {left} of {len(files)} files")


def check_measure_archive(dist, _):
    command = [sys.executable, SOURCE / "tests/install/measure_archive_test.py", "--dist", dist]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "tests/support")}
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode not in (0, SKIPPED):
        sys.exit(f"the archive: {' '.join(map(str, command))} ended with {done.returncode}")


def check_recipes(_, folder):
    place = Environment(folder / "recipes", compilers=False)
    place.install("py-rattler-build", "cffconvert")
    recipe, variants = (SOURCE / f"packaging/conda/{name}.yaml" for name in ("recipe", "variants"))
    rendered = [
        f"{name} mpi_{mpi}" for name in ("rondo", "librondo") for mpi in ("openmpi", "mpich")
    ]
    place.run("python", "-c", RENDER, recipe, variants, says=rendered)
    place.run("cffconvert", "--validate", "--infile", SOURCE / "CITATION.cff", says=["valid"])


def check_dist(dist, folder):
    (archive,) = dist.glob("rondo-source-*.tar.gz")
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=dist, check=True)
    into = folder / "source"
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    shutil.unpack_archive(archive, into, filter="data")
    place = Environment(folder / "dist", compilers=True)
    place.environment["CMAKE_ARGS"] = " ".join(QUICK)
    place.install(next(into.iterdir()))
    place.uninstall()


# By the target of the Makefile that makes it.
CHECKS = {
    "wheel": check_wheel,
    "sdist": check_sdist,
    "deb": check_deb,
    "measure-archive": check_measure_archive,
    "recipes": check_recipes,
    "dist": check_dist,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CHECKS, action="append", default=[])
    parser.add_argument("--dist", type=Path, default=SOURCE / "dist")
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/packages")
    options = parser.parse_args()
    for name in options.only or CHECKS:
        CHECKS[name](options.dist.resolve(), options.folder.resolve())


if __name__ == "__main__":
    main()
