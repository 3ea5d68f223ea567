#!/usr/bin/env python3
"""Tests of bench/summary.py on rows whose ratios are known."""

import json
import sys
import unittest
from pathlib import Path

import calling

SUMMARY = Path(__file__).resolve().parents[2] / "bench/summary.py"


def summary(text, *arguments):
    return calling.run(sys.executable, SUMMARY, *arguments, said=text)


def row(algorithm, size, median, **changes):
    common = {"collective": "alltoallv", "ranks": 4, "nodes": 1, "distribution": "uniform"}
    times = {"algorithm": algorithm, "bytes": size, "median_us": median, "speedup": 1}
    times["errors"] = None
    return json.dumps({**common, **times, **changes}) + "\n"


def run_of(size, **medians):
    return "".join(row(algorithm, size, median) for algorithm, median in medians.items())


def cells(output):
    """Of a table in Markdown: the first cell of each line, and the others."""
    lines = [line.strip("| ").split(" | ") for line in output.splitlines() if line.startswith("|")]
    return {line[0]: line[1:] for line in lines[2:]}


# At S = 16, spread_out is twice as fast as mpi; at S = 64, it is half as fast.
TWO_SIZES = run_of(16, mpi=100, spread_out=50, fused=25) + run_of(
    64, mpi=100, spread_out=200, fused=100
)


class Ratios(calling.ProgramTest):
    def table(self, text, *arguments):
        result = summary(text, "--format", "markdown", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return cells(result.stdout)

    def test_geometric_means_over_sizes(self):
        found = self.table(TWO_SIZES)
        self.assertEqual(found["mpi"], ["2", "1", "1.00", "0.71", "0.50"])
        self.assertEqual(found["spread_out"], ["2", "1", "1.00", "0.71", "0.50"])
        self.assertEqual(found["fused"], ["2", "1", "2.00", "1.41", "1.41"])

    def test_ratios_are_taken_within_a_run_and_their_median_over_runs(self):
        # The second run was on a machine ten times as slow.
        text = run_of(16, mpi=100, x=50) + run_of(16, mpi=1000, x=250) + run_of(16, mpi=90, x=30)
        self.assertEqual(self.table(text)["x"], ["1", "3", "3.00", "-", "3.00"])

    def test_runs_with_near_and_far_cores_are_kept_apart(self):
        def run(before, after, x):
            trips = {"round_trip_before_ns": before, "round_trip_after_ns": after}
            return row("mpi", 16, 100, **trips) + row("x", 16, x, **trips)

        text = run(55, 60, 50) + run(330, 340, 25) + run(55, 330, 1) + run(330, 55, 1)
        output = summary(text + run(50, 58, 50), "--format", "markdown", "--cores").stdout
        near, far = output.split("### ")[1:]
        self.assertIn("near cores", near)
        self.assertEqual(cells(near)["x"], ["1", "2", "2.00", "-", "2.00"])
        self.assertIn("far cores", far)
        self.assertEqual(cells(far)["x"], ["1", "1", "4.00", "-", "4.00"])
        all_near = summary(text, "--format", "markdown", "--cores", "1000").stdout
        self.assertEqual(cells(all_near)["x"][1], "4")

    def test_disturbed_rows_do_not_count(self):
        noisy = "other programs took 40 % of the cores"
        text = row("mpi", 16, 100, disturbed=noisy) + row("x", 16, 1, disturbed=noisy)
        self.assertEqual(self.table(text + run_of(16, mpi=100, x=50))["x"][:3], ["1", "1", "2.00"])
        refused = summary(text)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("that nothing disturbed", refused.stderr)

    def test_files_are_runs_of_their_own(self):
        first = self.write("one.json", run_of(16, mpi=100, x=50))
        second = self.write("two.json", run_of(16, mpi=10, y=20))
        found = self.table("", first, second)
        self.assertEqual(found["x"][2], "2.00")
        self.assertEqual(found["y"][2], "0.50")
        self.assertEqual(found["mpi"][1], "2")

    def test_an_algorithm_that_was_left_out_at_a_size(self):
        text = run_of(16, mpi=100, x=50) + run_of(64, mpi=100)
        self.assertEqual(self.table(text)["x"][:3], ["1", "1", "2.00"])

    def test_sizes_have_intervals_over_runs(self):
        runs = "".join(run_of(16, mpi=100, x=100 / ratio) for ratio in (2, 2, 3, 3, 3, 4, 4))
        other = run_of(64, mpi=100, x=50) + row("mpi", 64, 5, ranks=8) + row("x", 64, 10, ranks=8)
        found = self.table(runs + other, "--sizes")
        self.assertEqual(found["16"], ["3.00 (2.00-4.00)", "-"])
        self.assertEqual(found["64"], ["2.00", "0.50"])

    def test_groups_are_apart(self):
        other = row("mpi", 16, 5, ranks=8) + row("spread_out", 16, 10, ranks=8, nodes=2)
        result = summary(TWO_SIZES + other + row("mpi", 16, 5, ranks=8, nodes=2))
        self.assertEqual(result.returncode, 0, result.stderr)
        for title in ["4 ranks, 1 node,", "8 ranks, 1 node,", "8 ranks, 2 nodes, uniform"]:
            self.assertIn(f"alltoallv, {title}", result.stdout)

    def test_other_lines_are_passed_over(self):
        noise = 'a launcher talks\n\n{"program": "limit", "ranks": 4, "median_us": 1}\n'
        self.assertEqual(summary(noise + TWO_SIZES).stdout, summary(TWO_SIZES).stdout)


class Pool(unittest.TestCase):
    def slow(self, text):
        result = summary(text, "--pool")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, summary(text, "--pool").stdout)
        return result.stdout.split("Speedup below")[1]

    def test_slower_in_every_run(self):
        text = "".join(run_of(16, mpi=90 + i, x=100, y=80) for i in range(3))
        said = self.slow(text)
        self.assertIn("rows: 1\n", said)
        self.assertRegex(said, r"x +16 +3 +0\.910 +0\.900 +0\.920")
        self.assertNotIn(" y ", said)

    def test_sometimes_as_fast_is_not_beyond_doubt(self):
        text = "".join(run_of(16, mpi=mpi, x=100) for mpi in (80, 90, 100))
        self.assertIn("rows: 0\n", self.slow(text))

    def test_one_run_is_not_judged(self):
        said = self.slow(run_of(16, mpi=50, x=100))
        self.assertIn("rows: 0\n", said)
        self.assertIn("one run only and not judged, rows: 2\n", said)


class WrongUse(calling.ProgramTest):
    def test_says_what_is_wrong(self):
        for text, sentence in [
            ("", "no rows"),
            (run_of(16, x=1), "alltoallv, 4 ranks, 1 node, uniform, S = 16: a run without"),
            (row("mpi", 16, 1, errors=3), "mpi has wrong bytes"),
            (row("mpi", 16, 0), "line 1: median_us is 0, must be a number"),
            ('{"collective": "alltoallv"}\n', "without distribution, nodes, ranks"),
            ('{"collective":\n', "not JSON: Expecting value"),
        ]:
            with self.subTest(sentence=sentence):
                self.assert_refused(summary(text), "summary", sentence, status=1)

    def test_file_that_is_not_there(self):
        result = summary("", "no_such_file.json")
        self.assert_refused(result, "summary", "no_such_file.json", status=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
