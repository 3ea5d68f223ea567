#!/usr/bin/env python3
"""Tests of rondo-kcfa as it is called.

test_kcfa.py --kcfa build/bin/rondo-kcfa --mpirun tools/mpirun ...
"""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import calling
import programs
import reference

WRONG_USE = [
    ([], "FILE or --generate"),
    (["a.scm", "--generate", "worst:2,1"], "--generate"),
    (["--generate", "worst:2"], "'worst:2' is neither"),
    (["--generate", "worst:2,1", "--k", "9"], "--k"),
]


class Programs:
    """How to start them."""

    kcfa = ""
    mpirun: list[str] = []


class Kcfa(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, ranks, *options):
        command = [*Programs.mpirun, "-n", str(ranks), Programs.kcfa, *map(str, options)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def write(self, text):
        path = self.folder / "program.scm"
        path.write_text(text, encoding="utf-8")
        return path

    def report(self, ranks, *options):
        done = self.run_program(ranks, "--format", "json", *options)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def assert_refused(self, done, words):
        said = [line for line in done.stderr.splitlines() if line.startswith("rondo-kcfa:")]
        self.assertEqual(len(said), 1, done)
        self.assertIn(words, said[0])
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "", done)

    def test_report_and_flow(self):
        path, flow = self.write(programs.CHURCH), self.folder / "flow"
        report = self.report(
            3, path, "--k", "2", "--compare", "mpi,auto,two_phase_bruck", "--repeat", "2",
            "--output", flow,
        )  # fmt: skip
        counts, lines = reference.analyse(programs.CHURCH, 2)
        self.assertEqual({name: report[name] for name in counts}, counts)
        self.assertEqual(flow.read_text(encoding="utf-8").splitlines(), lines)
        algorithms = [arm["algorithm"] for arm in report["arms"]]
        self.assertEqual(algorithms, ["mpi", "auto", "two_phase_bruck"])
        self.assertEqual([len(arm["runs"]) for arm in report["arms"]], [2, 2, 2])
        self.assertEqual(len(report["rounds"]), report["iterations"])
        self.assertGreater(sum(row["new_tuples"] for row in report["rounds"]), counts["points"])
        for row in report["rounds"]:
            self.assertLessEqual(row["largest_block_bytes"], row["bytes"])
            self.assertEqual(set(row["exchange_seconds"]), {"mpi", "auto", "two_phase_bruck"})

    def test_worst_doubles_with_k_and_not_below(self):
        """The environments are a 2^N + b N + c from --k K on, and b N + c below."""
        for k in (0, 1, 2, 3):
            counts = [
                reference.analyse(self.printed(f"worst:{n},2"), k)[0]["environments"]
                for n in range(3, 8)
            ]
            growth = [after - before for before, after in zip(counts, counts[1:])]
            bend = [after - before for before, after in zip(growth, growth[1:])]
            if k < 2:
                self.assertEqual(bend, [0, 0, 0], f"k = {k}")
            else:
                self.assertGreaterEqual(bend[0], 2**3)
                self.assertEqual(bend[1:], [2 * each for each in bend[:-1]], f"k = {k}")

    def printed(self, specification):
        done = subprocess.run(
            [Programs.kcfa, "--generate", specification, "--print-program"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def test_table(self):
        done = self.run_program(2, "--generate", "worst:5,1")
        self.assertEqual(done.returncode, 0, done)
        counts, _ = reference.analyse(self.printed("worst:5,1"), 1)
        self.assertGreater(counts["environments"], 2**5)
        self.assertIn(f"environments: {counts['environments']}\n", done.stdout)
        self.assertIn("exchange ms", done.stdout)

    def test_wrong_use(self):
        for options, words in WRONG_USE:
            with self.subTest(options=options):
                self.assert_refused(self.run_program(2, *options), words)

    def test_a_spoilt_program(self):
        path = self.write("(lambda (x)\n (x\n")
        self.assert_refused(
            self.run_program(2, path), f"{path}:2: the parenthesis that opens here is not closed"
        )

    def test_no_program(self):
        path = self.folder / "absent.scm"
        self.assert_refused(self.run_program(2, path), f"{path}: No such file")

    def test_too_many_call_sites(self):
        path = self.write("(lambda (x) " + "(x " * 65536 + "x" + ")" * 65537)
        self.assert_refused(self.run_program(2, path, "--k", "1"), f"{path}: 65536 call sites")

    def test_a_full_disk(self):
        done = self.run_program(2, "--generate", "worst:1,1", "--output", "/dev/full")
        self.assert_refused(done, "/dev/full: No space left")

    def test_no_folder_for_the_flow(self):
        path = self.folder / "absent" / "flow"
        done = self.run_program(2, "--generate", "worst:1,1", "--output", path)
        self.assert_refused(done, f"{path}: No such file")


if __name__ == "__main__":
    calling.main(__doc__, Programs, "kcfa")
