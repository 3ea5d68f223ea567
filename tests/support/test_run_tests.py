#!/usr/bin/env python3
"""Tests of tools/run_tests.py, with a project whose tests do nothing."""

import contextlib
import io
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import progress  # noqa: E402

# Compiling, which shows how fast this machine is, is left out.
RUN = f"""import sys
sys.path.insert(0, {str(TOOLS)!r})
import run_tests, speed
speed.slowness = lambda jobs: 1
sys.exit(run_tests.main())
"""
PROJECT = """cmake_minimum_required(VERSION 3.18...3.25)
project(nothing NONE)
enable_testing()
add_custom_target(needed COMMAND sh -c "{build}")
"""
TEST = """add_test(NAME "{name}" COMMAND sh -c "{command}")
set_tests_properties("{name}" PROPERTIES SKIP_RETURN_CODE 77 LABELS "{label}")
"""
PASSES = ("passes", "true", "")
FAILS = ("fails", "echo what is wrong && false", "")
SKIPS = ("skips", "echo skipped: no moon && exit 77", "")
HAS_SPACES = ("has/spaces  # GetParam() = (1, a b)", "true", "")
IS_LEFT_OUT = ("is_left_out", "false", "more")

# What is built, the tests, the status, the last line, and lines before it.
ROWS = [
    ("true", [PASSES], 0, "All is well: 1 tests passed in 0 min", ["This takes about"]),
    ("true", [PASSES, HAS_SPACES], 0, "All is well: 2 tests passed in 0 min", []),
    ("true", [PASSES, IS_LEFT_OUT], 0, "All is well: 1 tests passed in", []),
    ("true", [PASSES, SKIPS], 0, "1 skipped, for the reasons above", ["skipped: skips: no moon"]),
    ("true", [PASSES, FAILS], 1, "1 of 2 tests FAILED in 0 min", ["***Failed", "what is wrong"]),
    ("true", [SKIPS], 1, "0 of 1 tests FAILED", []),
    ("echo no rule && false", [PASSES], 1, "The build FAILED, for the reasons above", ["no rule"]),
]


class Lines(io.StringIO):
    """What is printed, and an event that is set when it has so many lines."""

    def __init__(self, lines):
        super().__init__()
        self.lines = lines
        self.are_there = threading.Event()

    def write(self, text):
        super().write(text)
        if self.getvalue().count("\n") >= self.lines:
            self.are_there.set()


class Progress(unittest.TestCase):
    def test_is_not_silent_while_nothing_happens(self):
        lines = Lines(3)
        shown = progress.Progress(["build", "tests"])
        quiet = mock.patch.object(progress, "QUIET", 0.1)
        with contextlib.redirect_stdout(lines), quiet, shown:
            shown.begin("tests", 30)
            shown.at("7 of 9, mpi_sparse_n3 runs", 10)
            self.assertTrue(lines.are_there.wait(100))
        for line in lines.getvalue().splitlines():
            self.assertRegex(line, r"^tests: 7 of 9, mpi_sparse_n3 runs, about \d+ (s|min) left$")

    def test_time_left_follows_the_speed(self):
        shown = progress.Progress(["build", "tests"])
        shown.expected["tests"] = 100
        with mock.patch.object(progress.time, "monotonic", lambda: 1000.0):
            shown.begin("build", 200)
            self.assertEqual(shown.seconds_left(), 300)
        for passed, done, left in ((100, 100, 200), (200, 100, 287), (400, 200, 100)):
            with mock.patch.object(progress.time, "monotonic", lambda now=1000.0 + passed: now):
                shown.done = done
                self.assertAlmostEqual(shown.seconds_left(), left, delta=1, msg=(passed, done))


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-run-tests-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_project(self, build, tests):
        """The status and the lines of a run without a terminal."""
        text = PROJECT.format(build=build)
        for name, command, label in tests:
            text += TEST.format(name=name, command=command, label=label)
        (self.folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
        tree = self.folder / "build"
        quietly = {"stdout": subprocess.DEVNULL, "check": True}
        subprocess.run(["cmake", "-S", self.folder, "-B", tree], **quietly)
        command = [sys.executable, "-B", "-c", RUN, tree, "--build", "needed", "--", "-LE", "more"]
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, **both, text=True, timeout=120, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_rows(self):
        for build, tests, status, last, before in ROWS:
            with self.subTest(build=build, tests=[name for name, *_ in tests]):
                said_status, said = self.run_project(build, tests)
                self.assertEqual(said_status, status, said)
                self.assertIn(last, said[-1])
                for words in before:
                    line = next((one for one in said if words in one), None)
                    self.assertIsNotNone(line, (words, said))
                    said.remove(line)
                if status == 0:
                    self.assertFalse([line for line in said if "Passed" in line], said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
