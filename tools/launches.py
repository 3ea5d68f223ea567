"""Tests that start ranks alike, in one launch, since that start takes longer than most tests.

CTest has each test by itself, as in `tools/mpirun -n 3 bin/mpi_tests sparse`, with the label
`rows`. Here those with the same ranks, environment, options and level of threads run as
`tools/mpirun -n 3 bin/mpi_tests sparse mailbox ...`. After a row that crashes or hangs, another
launch goes on with the next row.
"""

import functools
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TIMES = "Testing/Temporary/launches.json"
PROGRAMS = ("mpi_tests", "mpi_inner_tests")
END = re.compile(r"rows: \d+ passed, (\d+) failed, \d+ skipped$")
REPEATED = re.compile(r"repeat: .* --row (\d+)")
# After a crash the same rows are drawn.
SEED = str(random.getrandbits(32))
# A hung row takes minutes, so a test that crashes again and again is left.
MOST_CRASHES = 3


def properties(test):
    return {one["name"]: one["value"] for one in test.get("properties", ())}


def is_launched(test):
    return "rows" in properties(test).get("LABELS", ())


@functools.cache
def threaded(*program):
    """The program's tests that need MPI_THREAD_MULTIPLE; none if it is not built."""
    if not Path(program[-1]).exists():
        return set()
    told = subprocess.run([*program, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.split() for line in told.stdout.splitlines())
    return {words[0] for words in lines if "threads" in words}


class Test:
    """A test as CTest describes it, and how it went."""

    def __init__(self, described):
        found = properties(described)
        words = described["command"]
        at = next(i for i, word in enumerate(words) if Path(word).name in PROGRAMS)
        ranks = words.index("-n") + 1
        self.name = described["name"]
        self.program, self.rows_of, self.options = words[: at + 1], words[at + 1], words[at + 2 :]
        self.environment = found.get("ENVIRONMENT", [])
        self.folder = found.get("WORKING_DIRECTORY")
        self.limit = found.get("TIMEOUT", 300)
        # What the tests of a launch have in common.
        has_threads = self.rows_of in threaded(*words[ranks + 1 : at + 1])
        self.kind = (
            int(words[ranks]),
            has_threads,
            *self.program,
            *self.options,
            *self.environment,
        )
        self.output = []
        self.seconds = 0.0
        self.crashes = 0
        self.has_failed = False
        self.is_over = False

    def testcase(self):
        """In JUnit's format, as CTest writes it."""
        case = ElementTree.Element("testcase", name=self.name, classname=self.name)
        case.set("time", f"{self.seconds:.3f}")
        case.set("status", "fail" if self.has_failed else "run")
        if self.has_failed:
            ElementTree.SubElement(case, "failure", message="Failed")
        text = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", "".join(self.output))
        ElementTree.SubElement(case, "system-out").text = text
        return case


def show(test):
    if not test.is_over:
        return
    outcome = "FAILED" if test.has_failed else "passed"
    print(f"{test.name}: {outcome}, {test.seconds:.1f} s", flush=True)
    if test.has_failed:
        print("".join(test.output), flush=True)


class Launch:
    """Tests of one kind, one after the other. note(test) tells when one begins and is over."""

    def __init__(self, tests, note):
        self.left = list(tests)
        self.first_row = 0
        self.note = note

    def run(self):
        while self.left:
            self.go_on()

    def go_on(self):
        """Starts ranks for the tests that are left, the first from its first row on."""
        test = self.left[0]
        any_failed = False
        self.note(test)
        ranks = Ranks(test, [one.rows_of for one in self.left], self.first_row)
        for line in ranks.lines():
            test.output.append(line)
            end = END.search(line) if self.left else None
            if end is None:
                continue
            self.left.pop(0)
            test.seconds += ranks.seconds()
            test.has_failed |= end[1] != "0"
            any_failed |= test.has_failed
            if self.left:
                self.end(test)
                test = self.left[0]
                self.note(test)
                ranks.watch(test.limit)
        code = ranks.end()
        if self.left:
            test.seconds += ranks.seconds()
            self.note_crash(test, ranks.reason or f"the ranks ended with status {code}")
        elif code != 0 and not any_failed:
            test.output.append(f"after its last row the ranks ended with status {code}\n")
            test.has_failed = True
        if not self.left or self.left[0] is not test:
            self.end(test)

    def end(self, test):
        test.is_over = True
        self.note(test)

    def note_crash(self, test, reason):
        """The next launch goes on with the next row, if it is known which one has crashed."""
        test.output.append(f"{reason}\n")
        test.has_failed = True
        test.crashes += 1
        rows = [int(row) for row in REPEATED.findall("".join(test.output))]
        crashed = max(rows, default=-1)
        if crashed >= self.first_row and test.crashes < MOST_CRASHES:
            self.first_row = crashed + 1
            return
        test.output.append("its other rows did not run\n")
        self.first_row = 0
        self.left.pop(0)


class Ranks:
    """The processes that run tests. They are stopped if a test takes longer than its limit."""

    def __init__(self, test, names, first_row):
        variables = dict(one.split("=", 1) for one in test.environment)
        self.process = subprocess.Popen(
            [*test.program, *names, *test.options, "--from", str(first_row)],
            cwd=test.folder,
            env={"RONDO_TEST_SEED": SEED} | os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
        self.reason = None
        self.timer = None
        self.watch(test.limit)

    def lines(self):
        return self.process.stdout

    def watch(self, limit):
        """A test begins."""
        self.began = time.monotonic()
        self.unwatch()
        self.timer = threading.Timer(limit, self.stop, [limit])
        self.timer.start()

    def unwatch(self):
        if self.timer:
            self.timer.cancel()

    def stop(self, limit):
        self.reason = f"stopped after {limit:.0f} s"
        os.killpg(self.process.pid, signal.SIGTERM)

    def seconds(self):
        return time.monotonic() - self.began

    def end(self):
        code = self.process.wait()
        self.unwatch()
        return code


def left_to_ctest(tests):
    """Options with which ctest runs those of the selected tests that are not launched here."""
    if not any(map(is_launched, tests)):
        return []
    # ctest counts the tests that are selected.
    places = [str(place) for place, test in enumerate(tests, 1) if not is_launched(test)]
    return ["-I", ",".join(["0", "0", "0", *places])]


def earlier_seconds(build):
    """Seconds by test in earlier runs."""
    file = build / TIMES
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def run(described, build, note=show):
    """Runs those of these tests that are launched here, and returns them."""
    tests = [Test(one) for one in described if is_launched(one)]
    kinds = {}
    for test in tests:
        kinds.setdefault(test.kind, []).append(test)
    for _, alike in sorted(kinds.items()):
        Launch(alike, note).run()
    seconds = earlier_seconds(build) | {test.name: round(test.seconds, 2) for test in tests}
    (build / TIMES).parent.mkdir(parents=True, exist_ok=True)
    (build / TIMES).write_text(json.dumps(seconds, indent=0), encoding="utf-8")
    return tests


def add_results(tests, path):
    """Adds them to CTest's results, or writes results of them alone."""
    root = ElementTree.Element("testsuite", name="launches")
    if path.exists():
        root = ElementTree.parse(path).getroot()
    root.extend(test.testcase() for test in tests)
    cases = list(root.iter("testcase"))
    root.set("tests", str(len(cases)))
    root.set("failures", str(sum(case.get("status") == "fail" for case in cases)))
    ElementTree.ElementTree(root).write(path, encoding="UTF-8", xml_declaration=True)
