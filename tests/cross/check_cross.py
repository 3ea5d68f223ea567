#!/usr/bin/env python3
"""Build Rondo for other processors with Debian's cross-compilers, and run tests under qemu.

check_cross.py --folder FOLDER [--only REGEX] [--jobs N]

All that is fetched or compiled goes into FOLDER, and nothing is installed. What cannot be had is
skipped, with the reason. The last line is `N passed, N failed, N skipped` and the minutes; status 0
if something passed and nothing failed, 77 if nothing could be run.
"""

import argparse
import functools
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / folder) for folder in ("tests/clients", "tools")]

import count_tests  # noqa: E402
from machine import Machine, run  # noqa: E402
from outcome import Failure, Results, Row, Skip, chosen  # noqa: E402

# Every kind of exchange, fibers that change threads, and what ranks tell each other of long blocks.
TESTS = (
    "^mpi_(exchange|neighbor|sparse|dynamic|started|started_thread|progress_thread|long_blocks|"
    "in_place|mismatch)_n[23]$"
)
LIBRARY_ALONE = {"RONDO_TESTS": "OFF", "RONDO_BENCH": "OFF", "RONDO_APPS": "OFF"}


class Tested:
    """A processor whose tests run. Counts their rows."""

    def __init__(self, machine, tests):
        self.machine = machine
        self.tests = tests
        self.rows = Counter()

    def build(self):
        return self.machine.build(emulator=self.machine.emulator)

    def unit_tests(self):
        programs = sorted(self.machine.build_folder.glob("bin/rondo_*unit"))
        if not programs:
            raise Skip("nothing was built")
        found = Counter()
        for program in programs:
            command = [str(word) for word in (*self.machine.emulator, program)]
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
        if not (self.machine.build_folder / "bin/test_exchange").exists():
            raise Skip("nothing was built")
        results = self.machine.folder / self.machine.processor / "results.xml"
        try:
            run(
                *(sys.executable, SOURCE / "tools/run_tests.py", self.machine.build_folder),
                *("--jobs", 1, "--results", results, "--", "-LE", "full", "-R", self.tests),
                *("--test-output-size-passed", 1_000_000),
                reason="tests failed",
            )
        finally:
            self.count_rows(results)
        return self.rows_text()

    def count_rows(self, results):
        if not results.exists():
            return
        for case in count_tests.cases(results):
            said = case.findtext("system-out") or ""
            for numbers in re.findall(r"^rows: (\d+) passed, (\d+) failed, (\d+) sk", said, re.M):
                self.rows.update(dict(zip(("passed", "failed", "skipped"), map(int, numbers))))

    def rows_text(self):
        totals = ", ".join(f"{self.rows[one]} {one}" for one in ("passed", "failed", "skipped"))
        return f"rows: {totals}"


def rows_of(options):
    folder, jobs = options.folder.resolve(), options.jobs
    arm = Machine("aarch64", "arm64", "aarch64-linux-gnu", "bookworm", folder, jobs)
    others = [
        Machine("ppc64le", "ppc64el", "powerpc64le-linux-gnu", "bookworm", folder, jobs),
        Machine("riscv64", "riscv64", "riscv64-linux-gnu", "trixie", folder, jobs),
    ]
    tested = Tested(arm, options.tests)
    yield Row("aarch64: build all", tested.build)
    yield Row("aarch64: unit tests", tested.unit_tests)
    yield Row("aarch64: MPI tests", tested.mpi_tests)
    for machine in others:
        build = functools.partial(machine.build, settings=LIBRARY_ALONE)
        yield Row(f"{machine.processor}: build the library and the drop-in", build)


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
    rows = {row.name: row for row in rows_of(options)}
    results = Results()
    began = time.monotonic()
    for name in chosen(rows, options):
        results.run(rows[name])
    print(f"{results.summary()}, in {(time.monotonic() - began) / 60:.0f} min")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
