#!/usr/bin/env python3
"""Build Rondo for other processors with Debian's cross-compilers, and run tests under qemu.

check_cross.py --folder FOLDER [--only REGEX] [--jobs N]

All that is fetched or compiled goes into FOLDER, and nothing is installed. What cannot be had is
skipped, with the reason. The last line is `N passed, N failed, N skipped` and the minutes; status 0
if something passed and nothing failed, 77 if nothing could be run.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / folder) for folder in ("tests/clients", "tools")]

import count_tests  # noqa: E402
import foreign  # noqa: E402
from cross import Cross  # noqa: E402
from outcome import Failure, Results, Row, Skip, chosen  # noqa: E402

PACKAGES = ["libopenmpi-dev", "openmpi-bin", "libgtest-dev", "libfftw3-dev"]
# Every kind of exchange, fibers that change threads, and what ranks tell each other of long blocks.
TESTS = (
    "^mpi_(exchange|neighbor|sparse|dynamic|started|progress_thread|long_blocks|in_place|mismatch)"
    "_n[23]$"
)
SETTINGS = {
    "CMAKE_BUILD_TYPE": "Quick",
    "CMAKE_CXX_FLAGS": "-O1",
    "CMAKE_UNITY_BUILD": "ON",
    "RONDO_WERROR": "ON",
    "RONDO_WITH_FORTRAN": "OFF",
    "RONDO_CUDA": "OFF",
}
LIBRARY_ALONE = {"RONDO_TESTS": "OFF", "RONDO_BENCH": "OFF", "RONDO_APPS": "OFF"}


def run(*command, reason, **settings):
    """Run a command whose output is seen at once. If it fails, the row fails."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    if subprocess.run(words, check=False, **settings).returncode != 0:
        raise Failure(reason)


class Build:
    """Rondo, built for a processor."""

    def __init__(self, processor, options):
        self.cross = Cross(processor, PACKAGES, options.folder.resolve())
        self.folder = self.cross.place / "build"
        self.jobs = options.jobs

    def build(self, emulator=(), settings=()):
        mpi = self.cross.debian_mpi()
        told = self.cross.settings(mpi, self.cross.place / "tools", emulator)
        values = {**SETTINGS, **told, **dict(settings)}
        defined = [f"-D{name}={value}" for name, value in values.items()]
        environment = {**os.environ, **self.cross.variables}
        configure = ["cmake", "-S", SOURCE, "-B", self.folder, *defined]
        run(*configure, reason="cannot be configured", env=environment)
        build = ["cmake", "--build", self.folder, "-j", self.jobs]
        run(*build, reason="cannot be built", env=environment)
        return f"built by {self.cross.compiler.name} without a warning"

    def build_library(self):
        return self.build(settings=LIBRARY_ALONE)


class Tested(Build):
    """The same, with tests, which run here."""

    def __init__(self, processor, options):
        super().__init__(processor, options)
        self.tests = options.tests

    def build_all(self):
        return self.build(emulator=self.cross.emulator)

    def unit_tests(self):
        programs = sorted(self.folder.glob("bin/rondo_*unit"))
        if not programs:
            raise Skip("nothing was built")
        found = Counter()
        for program in programs:
            command = [str(word) for word in (*self.cross.emulator, program)]
            done = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
            )
            if done.returncode != 0:
                raise Failure(f"{program.name}\n{done.stdout[-4000:]}")
            for outcome in ("PASSED", "SKIPPED"):
                for number in re.findall(rf"\[ *{outcome} *\] (\d+) test", done.stdout):
                    found[outcome.lower()] += int(number)
        return f"{found['passed']} unit tests passed, {found['skipped']} skipped"

    def mpi_tests(self):
        if not (self.folder / "bin/mpi_tests").exists():
            raise Skip("nothing was built")
        results = self.cross.place / "results.xml"
        run(
            *(sys.executable, SOURCE / "tools/run_tests.py", self.folder, "--jobs", 1),
            *("--results", results, "--", "-LE", "full", "-R", self.tests),
            *("--test-output-size-passed", 1_000_000),
            reason="tests failed",
        )
        return rows_text(results)


def rows_text(results):
    """How many rows the MPI tests say that they have run."""
    rows = Counter()
    for case in count_tests.cases(results):
        said = case.findtext("system-out") or ""
        for passed, skipped in re.findall(r"^rows: (\d+) passed, \d+ failed, (\d+)", said, re.M):
            rows.update(passed=int(passed), skipped=int(skipped))
    return f"{rows['passed']} rows passed, {rows['skipped']} skipped"


def skipping(check):
    """As `check`, but skipped if something cannot be had here."""
    try:
        return check()
    except foreign.Missing as reason:
        raise Skip(str(reason)) from reason


def rows_of(options):
    arm = Tested("aarch64", options)
    checks = {
        "aarch64: build all": arm.build_all,
        "aarch64: unit tests": arm.unit_tests,
        "aarch64: MPI tests": arm.mpi_tests,
    }
    for processor in ("ppc64le", "riscv64"):
        library = Build(processor, options).build_library
        checks[f"{processor}: build the library and the drop-in"] = library
    return {name: Row(name, partial(skipping, check)) for name, check in checks.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="for what is fetched and made")
    parser.add_argument("--only", metavar="REGEX", default="", help="the rows with such names")
    parser.add_argument("--list", action="store_true", help="print the names; run nothing")
    parser.add_argument(
        "--tests", metavar="REGEX", default=TESTS, help="MPI tests, as ctest names them"
    )
    parser.add_argument("--jobs", type=int, default=2, help="compilers at a time (default: 2)")
    options = parser.parse_args()
    rows = rows_of(options)
    results = Results()
    began = time.monotonic()
    for name in chosen(rows, options):
        results.run(rows[name])
    print(f"{results.summary()}, in {(time.monotonic() - began) / 60:.0f} min")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
