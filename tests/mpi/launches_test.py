#!/usr/bin/env python3
"""Tests of tools/launches.py, with a program whose tests do what their names say, without MPI."""

import contextlib
import io
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import count_tests  # noqa: E402
import launches  # noqa: E402

ROWS = 5
# Every launch notes its arguments. Row 1 fails, and row 2 is the one that crashes or hangs.
PROGRAM = f"""#!{sys.executable}
import os, sys, time
if "--list" in sys.argv:
    print("right\\nthreaded threads")
    sys.exit(0)
with open("launches", "a") as noted:
    noted.write(" ".join(sys.argv[1:]) + "\\n")
with open("seeds", "a") as noted:
    noted.write(os.environ["RONDO_TEST_SEED"] + "\\n")
end = sys.argv.index("--from")
first, is_wrong = int(sys.argv[end + 1]), False
for name in sys.argv[1:end]:
    print(name + ": ranks 2, seed 1", flush=True)
    failed = 0
    for row in range(first, {ROWS}):
        repeated = f"repeat: tools/mpirun mpi_tests {{name}} --seed 1 --row {{row}}"
        if name == "fails" and row == 1:
            failed += 1
            print(f"FAIL {{name}} a row: wrong\\n{{repeated}}", flush=True)
        if name == "always_crashes" or name == "crashes" and row == 2:
            print(f"CRASH: {{name}} a row\\n{{repeated}}", flush=True)
            os._exit(1)
        if name == "dies" and row == 2:
            os._exit(1)
        if name == "hangs" and row == 2:
            time.sleep(60)
    first = 0
    is_wrong |= failed > 0
    print(f"rows: {{{ROWS} - failed}} passed, {{failed}} failed, 0 skipped", flush=True)
if name == "ends_badly":
    os._exit(3)
sys.exit(1 if is_wrong else 0)
"""


class Launches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-launches-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "mpi_tests"
        program.write_text(PROGRAM)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        launches.threaded.cache_clear()

    def described(self, name, ranks=2, limit=30):
        found = {"LABELS": ["mpi", "rows"], "TIMEOUT": limit, "WORKING_DIRECTORY": str(self.folder)}
        # In the place of `tools/mpirun -n RANKS`.
        command = [
            "sh",
            "-c",
            'shift 1; exec "$@"',
            "-n",
            str(ranks),
            str(self.folder / "mpi_tests"),
        ]
        properties = [{"name": key, "value": value} for key, value in found.items()]
        return {
            "name": f"mpi_{name}_n{ranks}",
            "command": [*command, name],
            "properties": properties,
        }

    def run_tests(self, *described):
        """Whether each has passed, and the arguments of each launch."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.tests = launches.run(described, self.folder)
        noted = (self.folder / "launches").read_text().splitlines()
        return {test.name: not test.has_failed for test in self.tests}, noted

    def run_names(self, *names):
        passed, noted = self.run_tests(*(self.described(name) for name in names))
        return [passed[f"mpi_{name}_n2"] for name in names], noted

    def test_tests_of_one_kind_are_launched_together(self):
        tests = [self.described("right"), self.described("threaded"), self.described("other")]
        passed, noted = self.run_tests(*tests, self.described("right", ranks=3))
        self.assertEqual(passed, dict.fromkeys(passed, True))
        self.assertEqual(len(passed), 4)
        expected = ["right other --from 0", "threaded --from 0", "right --from 0"]
        self.assertEqual(noted, expected)

    def test_a_failed_row_fails_its_test_alone(self):
        passed, noted = self.run_names("right", "fails", "other")
        self.assertEqual(passed, [True, False, True])
        self.assertEqual(len(noted), 1)

    def test_after_a_crash_the_next_row_runs(self):
        passed, noted = self.run_names("right", "crashes", "other")
        self.assertEqual(passed, [True, False, True])
        self.assertEqual(noted, ["right crashes other --from 0", "crashes other --from 3"])
        self.assertIn("CRASH: crashes a row", "".join(self.tests[1].output))
        seeds = (self.folder / "seeds").read_text().split()
        self.assertEqual([seeds[0]] * 2, seeds)

    def test_a_test_that_crashes_again_and_again_is_left(self):
        passed, noted = self.run_names("always_crashes", "other")
        self.assertEqual(passed, [False, True])
        self.assertEqual([line[-1] for line in noted], ["0", "1", "2", "0"])

    def test_ranks_that_die_silently(self):
        passed, noted = self.run_names("dies", "other")
        self.assertEqual(passed, [False, True])
        self.assertEqual(noted, ["dies other --from 0", "other --from 0"])
        self.assertIn("its other rows did not run", "".join(self.tests[0].output))

    def test_a_test_beyond_its_limit_is_stopped(self):
        passed, noted = self.run_tests(self.described("hangs", limit=1), self.described("other"))
        self.assertEqual(list(passed.values()), [False, True])
        self.assertIn("stopped after 1 s", "".join(self.tests[0].output))

    def test_ranks_that_end_badly_after_the_last_row(self):
        passed, _ = self.run_names("right", "ends_badly")
        self.assertEqual(passed, [True, False])

    def test_ctest_runs_the_others_of_those_that_are_selected(self):
        """All of this by tools/run_tests.py."""
        project = "cmake_minimum_required(VERSION 3.18)\nproject(few NONE)\nenable_testing()\n"
        for name, command in [("a", "true"), ("b", "right"), ("left_out", "false"), ("c", "true")]:
            words = self.described(command)["command"] if command == "right" else [command]
            quoted = " ".join(f"[[{word}]]" for word in words)
            project += f"add_test(NAME {name} COMMAND {quoted})\n"
        project += "set_tests_properties(b PROPERTIES LABELS rows)\n"
        (self.folder / "CMakeLists.txt").write_text(project)
        tree = self.folder / "tree"
        quietly = {"stdout": subprocess.DEVNULL, "check": True}
        subprocess.run(["cmake", "-S", self.folder, "-B", tree], **quietly)
        command = [sys.executable, TOOLS / "run_tests.py", tree, "--", "-E", "left_out"]
        subprocess.run(command, **quietly)
        cases = count_tests.cases(tree / "Testing/results.xml")
        self.assertEqual([case.get("name") for case in cases], ["a", "c", "b"])

    def test_results(self):
        self.run_names("right", "fails")
        path = self.folder / "results.xml"
        suite = ElementTree.Element("testsuite")
        ElementTree.SubElement(suite, "testcase", name="ctest's own", status="run")
        ElementTree.ElementTree(suite).write(path)
        launches.add_results(self.tests, path)
        self.assertEqual(count_tests.count(path), (2, 1, 0))
        self.assertIn("FAIL fails a row: wrong", list(count_tests.failures(path)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
