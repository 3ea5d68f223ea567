#!/usr/bin/env python3
"""Build what tests need and run them with ctest: say first how long it takes, and last how it went.

run_tests.py BUILD [--build TARGET] [--jobs N] [--results FILE.xml] [-- CTEST-OPTION...]

N tests run at a time. Those that start ranks alike are started together (launches.py).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import count_tests
import launches
import speed
from progress import Progress, about

# Open MPI looks for networks whenever ranks start, which takes longer than most tests, and says
# what it misses. They run on one machine, so the components that do it are left out, unless the
# user has chosen components.
ONE_MACHINE = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^openib,usnic,ofi,uct",
    "OMPI_MCA_osc": "^ucx",
    # Tests share the cores.
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
# Seconds that a test takes for which neither an earlier run here nor CMake says more.
USUAL_SECONDS = {True: 2, False: 0.3}  # by whether it starts several ranks

# What building the target quick_tests takes on the machine of tools/speed.py.
BUILD_SECONDS = 240

COMPILED = re.compile(r"\[ *(\d+)%\] (\w+)|\[(\d+)/(\d+)\] (\w+)")
# A name may have spaces: GoogleTest's have parameters behind them.
STARTED = re.compile(r" +Start +\d+: (.+)$")
ENDED = re.compile(r" *\d+/\d+ Test +#\d+: (.+?) \.+(.*?) +[\d.]+ sec$")
HEAD = re.compile(r"Test project |$")
NOISE = re.compile(r"\[|gmake|make\b|Scanning|Consolidate|Dependencies|--|$")


def is_serial(test):
    return launches.properties(test).get("RUN_SERIAL", False) or launches.is_launched(test)


def selected_tests(options):
    command = ["ctest", "--show-only=json-v1", *options.selection]
    told = subprocess.run(
        command, cwd=options.folder, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(told.stdout)["tests"]


def earlier_seconds(build):
    """What ctest remembers of earlier runs: seconds by test."""
    file = build / "Testing/Temporary/CTestCostData.txt"
    if not file.exists():
        return {}
    rows = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    seconds = {row[0]: float(row[2]) for row in rows if len(row) == 3 and row[1] != "0"}
    return seconds | launches.earlier_seconds(build)


class Expected:
    """How long tests take: what they took here before, or else what is usual, on this machine."""

    def __init__(self, tests, options, slowness):
        self.jobs = options.jobs
        earlier = earlier_seconds(options.folder)
        self.of_test = {}
        for test in tests:
            # A share of the time where several run at a time.
            share = 1 if is_serial(test) else options.jobs
            usual = launches.properties(test).get("COST", USUAL_SECONDS[is_serial(test)]) * slowness
            self.of_test[test["name"]] = earlier.get(test["name"], usual) / share

    def total(self):
        return sum(self.of_test.values())


def lines_of(command, folder):
    """The lines that a command prints, and last its status."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout:
            yield line.rstrip("\n")
    yield process.returncode


def built(options, progress, tell):
    """Whether everything was built. `tell` is called when it is seen how much there is to build."""
    command = ["cmake", "--build", ".", "--target", options.build, "-j", str(options.jobs)]
    first = None
    for line in lines_of(command, options.folder):
        if isinstance(line, int):
            return line == 0
        found = COMPILED.match(line)
        if found is None:
            if not NOISE.match(line):
                progress.say(line)
            continue
        share = float(found[1]) / 100 if found[1] else int(found[3]) / int(found[4])
        if first is None and "Building" in found.groups():
            first = share
            tell(1 - first)
        if first is not None:
            left = progress.expected["build"] / max(1 - first, 0.01)
            progress.at(f"{100 * share:.0f} % of the files", left * (share - first))
    return False


class Counted:
    """How many tests are over, and which of those that run has begun first."""

    def __init__(self, count, expected, progress):
        self.count, self.expected, self.progress = count, expected, progress
        self.ended, self.done, self.running = 0, 0.0, []

    def begin(self, name):
        self.running.append(name)
        self.show()

    def end(self, name):
        self.running.remove(name)
        self.ended += 1
        self.done += self.expected.of_test.get(name, 0.0)
        self.show()

    def show(self):
        runs = f", {self.running[0]} runs" if self.running else ""
        self.progress.at(f"{self.ended} of {self.count}{runs}", self.done)

    def note(self, launched):
        """A test that is launched here begins or is over."""
        if not launched.is_over:
            self.begin(launched.name)
            return
        self.end(launched.name)
        if launched.has_failed:
            self.progress.say(f"{launched.name}: FAILED, {launched.seconds:.1f} s")
            self.progress.say("".join(launched.output))


def run_ctest(options, tests, counted):
    """Runs the tests that are CTest's, and says what failed ones have printed. Its status."""
    command = ["ctest", "--output-on-failure", "-j", str(options.jobs), *options.selection]
    command += launches.left_to_ctest(tests)
    if writes_results():
        command += ["--output-junit", str(options.results)]
    is_summary = False
    for line in lines_of(command, options.folder):
        if isinstance(line, int):
            return line
        started, end = STARTED.match(line), ENDED.match(line)
        is_summary |= "% tests passed, " in line
        if started:
            counted.begin(started[1])
        elif end:
            counted.end(end[1])
        elif HEAD.match(line) or is_summary:
            continue
        if not started and not (end and ("Passed" in end[2] or "Skipped" in end[2])):
            counted.progress.say(line)
    return 1


def run_all(options, tests, counted):
    """Whether all tests have passed."""
    status = 0
    if not all(map(launches.is_launched, tests)):
        status = run_ctest(options, tests, counted)
    launched = launches.run(tests, options.folder, counted.note)
    if writes_results():
        launches.add_results(launched, options.results)
    return status == 0 and not any(test.has_failed for test in launched)


def writes_results():
    """Whether this ctest writes results in JUnit's format: from CMake 3.21 on."""
    said = subprocess.run(["ctest", "--help"], stdout=subprocess.PIPE, text=True, check=True)
    return "--output-junit" in said.stdout


def verdict(results, expected, seconds):
    """The last line, and whether all is well."""
    found = {case.get("name"): count_tests.outcome(case) for case in count_tests.cases(results)}
    failed = [name for name, outcome in found.items() if outcome == "failed"]
    passed = sum(outcome == "passed" for outcome in found.values())
    missing = expected - len(found)
    time_taken = f"in {seconds // 60:.0f} min {seconds % 60:.0f} s"
    if failed or missing or not passed:
        named = ", ".join(failed[:5]) + (", ..." if len(failed) > 5 else "")
        unfinished = f"; {missing} did not run" if missing else ""
        return f"{len(failed)} of {expected} tests FAILED {time_taken}: {named}{unfinished}", False
    skipped = len(found) - passed
    left_out = f"; {skipped} skipped, for the reasons above" if skipped else ""
    return f"All is well: {passed} tests passed {time_taken}{left_out}", True


def announcement(seconds_to_build, seconds_to_test):
    said = f"This takes about {about(seconds_to_build + seconds_to_test)} on this machine"
    if seconds_to_build:
        said += f": {about(seconds_to_build)} to build what the tests need"
        said += f", and {about(seconds_to_test)} to run them"
    return said


def build(options, progress, slowness):
    """Builds what the tests need, and says first how long all takes. Whether it was built."""

    def tell(share):
        seconds = share * BUILD_SECONDS * slowness * speed.COMPILERS / options.jobs
        progress.begin("build", seconds)
        progress.say(announcement(seconds, progress.expected["tests"]))

    progress.begin("build", 0)
    return built(options, progress, tell)


def run(options, progress):
    """How many tests there are, and whether all have passed, or None if the build fails."""
    slowness = speed.slowness(options.jobs)
    expected = Expected(selected_tests(options), options, slowness)
    progress.expected = {"build": 0, "tests": expected.total()}
    if options.build and not build(options, progress, slowness):
        return 0, None
    tests = selected_tests(options)  # more are known when their programs are built
    expected = Expected(tests, options, slowness)
    if not progress.expected["build"]:
        progress.say(announcement(0, expected.total()))
    progress.begin("tests", expected.total())
    return len(tests), run_all(options, tests, Counted(len(tests), expected, progress))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="BUILD", help="the build tree")
    parser.add_argument("--build", metavar="TARGET", help="what to build before")
    parser.add_argument(
        "--jobs", type=int, default=2, help="compilers and tests at a time (default: 2)"
    )
    parser.add_argument("--results", type=Path, help="where to write the results in JUnit's format")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:end])
    options.selection = words[end + 1 :]
    options.results = (options.results or options.folder / "Testing/results.xml").resolve()
    return options


def main():
    options = parse()
    os.environ.update(ONE_MACHINE | os.environ)
    options.results.unlink(missing_ok=True)
    began = time.monotonic()
    with Progress(["build", "tests"]) as progress:
        count, is_well = run(options, progress)
    if is_well is None:
        sys.exit("The build FAILED, for the reasons above")
    if not options.results.exists():
        return 0 if is_well else 1
    line, is_well = verdict(options.results, count, time.monotonic() - began)
    for reason in count_tests.skipped(options.results):
        print(reason)
    print(line)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
