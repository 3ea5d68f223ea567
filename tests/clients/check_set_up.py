#!/usr/bin/env python3
"""Measures what Rondo's set-up costs if communicators live for a few exchanges only.

check_set_up.py --folder FOLDER BUILD [BUILD...]

Every row is run in turn without Rondo and under the rondo-exec of each BUILD, with the settings
that users have. Printed as Markdown: milliseconds of one communicator's life without Rondo; for
each BUILD that time with Rondo over the time without (median over rounds, 95 % interval; above 1,
Rondo is slower), and the shared memory that the machine holds for a communicator. That is read
from /proc/meminfo, so nothing else should come or go meanwhile. The status is 1 if a run fails.
"""

import os
import statistics
import sys
from dataclasses import dataclass

from ab_table import interval_of_median
from launching import expect, finish, users_environment
from mpis import system
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, parse_builds
from workspace import SOURCE, Workspace

PROGRAM = SOURCE / "tests/clients/short_lived.c"
SECONDS = 300


@dataclass(frozen=True)
class Case:
    ranks: int
    communicators: int
    calls: int
    size: int = 64


# Each case has enough calls to take some tenths of a second.
CASES = (
    Case(2, 5000, 20),
    Case(8, 300, 20),
    Case(16, 40, 20),
    Case(32, 20, 9),
    Case(32, 15, 20),
    Case(2, 1000, 100),
    Case(8, 60, 100),
    Case(16, 20, 100),
    Case(32, 8, 100),
    Case(8, 10, 1000),
    Case(16, 5, 1000),
    Case(32, 3, 1000),
)


@dataclass(frozen=True)
class Run:
    milliseconds: float
    kibibytes: float


def run(workspace, program, case, *before):
    launcher = system(workspace, "openmpi").launcher
    words = [SOURCE / "tools/mpirun", "--launcher", launcher, "-n", case.ranks, *before]
    words += [program, case.communicators, case.calls, case.size]
    done = finish(words, SECONDS, workspace.folder, users_environment())
    expect(done.returncode == 0, "it did not end well", done)
    return Run(*map(float, done.stdout.split()))


def rounds(workspace, program, case, builds, count):
    """The runs of each arm. The arms take turns; None is the library alone."""
    runs = {arm: [] for arm in (None, *builds)}
    for number in range(count):
        arms = list(runs)
        for arm in arms[number % len(arms) :] + arms[: number % len(arms)]:
            before = [arm / "bin/rondo-exec"] if arm else []
            runs[arm].append(run(workspace, program, case, *before))
    return runs


def figure(runs, library):
    ratios = [ours.milliseconds / its.milliseconds for ours, its in zip(runs, library)]
    low, high = interval_of_median(ratios)
    memory = statistics.median(one.kibibytes for one in runs)
    return f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f}) | {memory:.0f}"


def main():
    parser = parse_builds(__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="default %(default)s")
    options = parser.parse_args()
    workspace = Workspace(options.folder, options.builds)
    builds = workspace.builds
    try:
        program = workspace.compiled("short_lived", system(workspace, "openmpi").cc, "-O2", PROGRAM)
    except Skip as reason:
        print(f"skipped: {reason}")
        return STATUS_SKIPPED
    columns = " | ".join(f"{os.path.relpath(build)} | KiB" for build in builds)
    print(f"| ranks | calls | library, ms | {columns} |")
    print("| --- | --- | --- |" + " --- | --- |" * len(builds))
    for case in CASES:
        try:
            runs = rounds(workspace, program, case, builds, options.rounds)
        except Failure as error:
            print(f"{case}: {error}", file=sys.stderr)
            return STATUS_FAILED
        library = runs.pop(None)
        milliseconds = statistics.median(one.milliseconds for one in library)
        cells = " | ".join(figure(ours, library) for ours in runs.values())
        print(f"| {case.ranks} | {case.calls} | {milliseconds:.2f} | {cells} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
