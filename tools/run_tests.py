#!/usr/bin/env python3
"""Run the tests of a build tree with ctest: say first how many and how long, and last how it went.

run_tests.py BUILD [--jobs N] [--results FILE.xml] [-- CTEST-OPTION...]

Tests that start several ranks run one at a time, after the others, which run N at a time. Those
that start ranks alike are started together (launches.py).
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import count_tests
import launches

# Open MPI looks for networks whenever ranks start, which takes longer than most tests, and says
# what it misses. They run on one machine, so the components that do it are left out, unless the
# user has chosen components.
ONE_MACHINE = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^openib,usnic,ofi,uct",
    "OMPI_MCA_osc": "^ucx",
}
# Measured in continuous integration. Used until this build tree has times of its own.
USUAL_MINUTES = 7


def minutes(seconds):
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def is_serial(test):
    return launches.properties(test).get("RUN_SERIAL", False) or launches.is_launched(test)


def selected_tests(build, options):
    command = ["ctest", "--show-only=json-v1", *options]
    told = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(told.stdout)["tests"]


def earlier_seconds(build):
    """What ctest remembers of earlier runs: seconds by test."""
    file = build / "Testing/Temporary/CTestCostData.txt"
    if not file.exists():
        return {}
    rows = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    seconds = {row[0]: float(row[2]) for row in rows if len(row) == 3 and row[1] != "0"}
    return seconds | launches.earlier_seconds(build)


def expected_seconds(tests, earlier, jobs):
    """About how long the tests take, or None if most of them have not run here before."""
    known = [test for test in tests if test["name"] in earlier]
    if 2 * len(known) < len(tests):
        return None
    alone = sum(earlier[test["name"]] for test in known if is_serial(test))
    beside = [earlier[test["name"]] for test in known if not is_serial(test)]
    return alone + max(sum(beside) / jobs, max(beside, default=0))


def announce(tests, earlier, jobs):
    expected = expected_seconds(tests, earlier, jobs)
    how_long = f"all of them take about {USUAL_MINUTES} min on 2 cores with nothing else running"
    if expected:
        how_long = f"the last run took about {minutes(expected)}"
    serial = f"{sum(map(is_serial, tests))} of them start several ranks and run one at a time"
    print(f"{len(tests)} tests; {serial}; {how_long}", flush=True)


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
    left_out = f"; {skipped} were skipped, for the reasons above" if skipped else ""
    return f"All is well: {passed} tests passed {time_taken}{left_out}", True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (default: 2)")
    parser.add_argument("--results", type=Path, help="where to write the results in JUnit's format")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:end])
    selection = words[end + 1 :]

    os.environ.update(ONE_MACHINE | os.environ)
    tests = selected_tests(options.build, selection)
    announce(tests, earlier_seconds(options.build), options.jobs)
    command = ["ctest", "--output-on-failure", "-j", str(options.jobs), *selection]
    command += launches.left_to_ctest(tests)
    results = (options.results or options.build / "Testing/results.xml").resolve()
    results.unlink(missing_ok=True)
    if writes_results():
        command += ["--output-junit", str(results)]
    began = time.monotonic()
    code = 0
    if not all(map(launches.is_launched, tests)):
        code = subprocess.run(command, cwd=options.build, check=False).returncode
    launched = launches.run(tests, options.build)
    if not writes_results():
        return 1 if any(test.has_failed for test in launched) else code
    launches.add_results(launched, results)
    line, is_well = verdict(results, len(tests), time.monotonic() - began)
    for reason in count_tests.skipped(results):
        print(reason)
    print(line)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
