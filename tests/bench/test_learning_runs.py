#!/usr/bin/env python3
"""Tests of bench/learning.py from end to end, on two ranks.

test_learning_runs.py --build build --mpirun tools/mpirun ...
"""

import json
import shlex
import sys
from pathlib import Path

import calling
from calling import options

LEARNING = Path(__file__).resolve().parents[2] / "bench/learning.py"
CALLS = 300


def learning(*words):
    return calling.run(sys.executable, LEARNING, *words, timeout=240)


class TheRuns(calling.ProgramTest):
    def measure(self, command, *words):
        file = self.folder / f"{command}.json"
        launcher = shlex.join(map(str, [*options.mpirun, "-n"])) + " {ranks}"
        settings = ["--launcher", launcher, "--build", options.build, "--output", file]
        result = learning(command, *settings, "--runs", "1", "--calls", CALLS, *words)
        return result, file

    def table_of(self, command, *words):
        """The rows that were written, and what is printed of them."""
        result, file = self.measure(command, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        table = learning("table", file)
        self.assertEqual((table.returncode, table.stderr), (0, ""))
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return {row["algorithm"]: row for row in rows}, table.stdout

    def test_regret_counts_from_the_first_call_and_begins_with_the_profiles_choice(self):
        rows, table = self.table_of("regret", "--cell", "alltoallv,4,256k,two_phase_bruck")
        ran = rows["auto"]["ran"]
        self.assertEqual(ran[0], [0, "forwarded"])
        self.assertTrue(ran[1][1].startswith("two_phase_bruck:"), ran[:2])
        for name in ("auto", "mpi", "two_phase_bruck"):
            self.assertEqual(len(rows[name]["samples_us"]), CALLS)
        self.assertIn("| alltoallv, 4 ranks, S = 256k | two_phase_bruck |", table)
        self.assertIn("| alltoallv, 4 ranks, S = 256k | 100 |", table)

    def test_drift(self):
        rows, table = self.table_of("drift", "--cell", "alltoall,2,64")
        self.assertEqual(rows["auto"]["one_core"], [CALLS // 3, CALLS // 3 * 2])
        self.assertIn("| alltoall, 2 ranks, S = 64 | onto one core |", table)
        self.assertIn("| alltoall, 2 ranks, S = 64 | back |", table)

    def test_wrong_use(self):
        for words, sentence in [
            (["--build", "no_such_folder"], "rondo-bench is not there"),
            (["--cell", "alltoall,2,64"], "which first choice?"),
            (["--cell", "alltoall"], "'alltoall' is no cell"),
            (["--calls", "0"], "'0' is not a whole number above 0"),
            (["--launcher", "no_such_launcher"], "cannot start no_such_launcher"),
        ]:
            with self.subTest(words=words):
                result, _ = self.measure("regret", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    calling.main(__doc__, "build")
