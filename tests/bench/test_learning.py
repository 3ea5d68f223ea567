#!/usr/bin/env python3
"""Tests of bench/learning.py on series whose regrets are known; they need no MPI."""

import argparse
import json
import sys
import unittest
from pathlib import Path

import calling

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))

import regret_lib  # noqa: E402, F401
from learning_lib import calls, cells, phases, tables  # noqa: E402
from learning_lib.calls import FIRST, KEPT, START, TRIALS  # noqa: E402
from learning_lib.phases import Phase  # noqa: E402

# 3 forwarded calls, 5 of the first choice, a duel of 4, 3 more of it, and 15 of the winner.
CHANGES = [(0, calls.FORWARDED), (3, "x"), (8, "y"), (9, "x"), (10, "y"), (11, "x"), (15, "y")]
COUNT = 30
LEFT = 15


def auto_times():
    """Forwarded calls take 2, the first choice 3, the set-up 100, and the best, y, 1."""
    price = {calls.FORWARDED: 2.0, "x": 3.0, "y": 1.0}
    times = [price[name] for name in calls.expand(CHANGES, COUNT)]
    times[3] = 100.0
    return times


class TheCalls(unittest.TestCase):
    def test_changes_stand_for_all_calls(self):
        self.assertEqual(calls.expand([(0, "a"), (2, "b")], 5), ["a", "a", "b", "b", "b"])
        self.assertEqual(calls.expand([(0, "a")], 2), ["a", "a"])

    def test_challengers_are_no_incumbents(self):
        ran = ["x"] * 6 + ["y"] * 2 + ["x"] + ["y"] * 4 + ["x"] * 6 + ["y"] * 5
        self.assertEqual(calls.incumbents(ran), ["x"] * 19 + ["y"] * 5)

    def test_first_choice_and_when_it_is_left(self):
        found = calls.calls_of(CHANGES, COUNT)
        self.assertEqual((found.begin, found.first, found.left), (3, "x", LEFT))
        self.assertIsNone(calls.calls_of([(0, calls.FORWARDED), (3, "x")], COUNT).left)
        forwarded = calls.calls_of([(0, calls.FORWARDED)], COUNT)
        self.assertEqual((forwarded.begin, forwarded.first, forwarded.left), (COUNT, None, None))

    def test_each_call_belongs_to_one_part(self):
        parts = calls.calls_of(CHANGES, COUNT).parts()
        expected = [START] * 4 + [FIRST] * 4 + [TRIALS, FIRST] * 2 + [FIRST] * 3 + [KEPT] * 15
        self.assertEqual(parts, expected)


class TheCosts(unittest.TestCase):
    def costs(self, auto, costs=calls.costs_of):
        return costs(calls.calls_of(CHANGES, COUNT), auto, [1.0] * COUNT)

    def test_are_sums_over_those_of_the_best(self):
        costs = self.costs(auto_times())
        self.assertAlmostEqual(costs.regret(3), 1)
        self.assertAlmostEqual(costs.part(START, COUNT), (3 * 1 + 99) / COUNT)
        self.assertAlmostEqual(costs.part(FIRST, COUNT), 9 * 2 / COUNT)
        self.assertAlmostEqual(costs.part(TRIALS, COUNT), 0)
        self.assertAlmostEqual(costs.part(KEPT, COUNT), 0)
        self.assertAlmostEqual(costs.regret(COUNT), sum(auto_times()) / COUNT - 1)
        self.assertAlmostEqual(costs.regret_after_start(COUNT), 9 * 2 / COUNT)

    def test_disturbed_calls_are_capped_and_the_set_up_is_not(self):
        disturbed = auto_times()
        disturbed[COUNT - 1] = 1000.0
        costs = self.costs(disturbed, calls.capped_costs_of)
        self.assertAlmostEqual(costs.part(START, COUNT), (3 * 1 + 99) / COUNT)
        self.assertAlmostEqual(costs.part(KEPT, COUNT), (calls.CAP - 1) / COUNT)
        self.assertGreater(self.costs(disturbed).part(KEPT, COUNT), 30)

    def test_a_slow_algorithm_is_not_a_disturbance(self):
        self.assertEqual(calls.capped([1.0, 1.0, 50.0], ["a", "a", "b"]), [1.0, 1.0, 50.0])
        self.assertEqual(calls.capped([2.0, 900.0], ["a", "a"]), [2.0, 2.0 * calls.CAP])


class ThePhases(unittest.TestCase):
    def follow(self, ran, auto, **fixed):
        before, phase = phases.phases_of(len(ran), 10, len(ran))[:2]
        return phases.follow(calls.Calls(ran, calls.incumbents(ran)), auto, fixed, before, phase)

    def test_are_before_away_and_back(self):
        self.assertEqual(phases.phases_of(90, 30, 60), [Phase(0, 30), Phase(30, 60), Phase(60, 90)])
        self.assertEqual(Phase(40, 80).last(), Phase(70, 80))

    def test_a_change_is_followed(self):
        ran = ["x"] * 14 + ["y"] + ["x"] * 5 + ["y"] * 20
        slow = [1.0] * 10 + [9.0] * 30
        found = self.follow(ran, slow[:20] + [4.0] * 20, x=slow, y=[2.0] * 40)
        self.assertEqual(found, phases.Following("x", "y", "y", 4, 10, 9, 2))

    def test_nothing_changes(self):
        found = self.follow(["x"] * 40, [1.0] * 40, x=[1.0] * 40, y=[2.0] * 40)
        self.assertEqual(found, phases.Following("x", "x", "x", None, None, 1, 1))


class TheCells(unittest.TestCase):
    def test_parsed(self):
        cell = cells.parse_cell("alltoallv,8,64k,fused_bruck:radix=2")
        self.assertEqual(cell, cells.Learned("alltoallv", 8, "64k", "fused_bruck:radix=2"))
        self.assertEqual(cells.parse_cell("alltoall,2,1").first, "")
        for text in ("alltoallx,2,1", "alltoall,two,1", "alltoall,2"):
            with self.subTest(text=text), self.assertRaises(argparse.ArgumentTypeError):
                cells.parse_cell(text)


class TheTables(calling.ProgramTest):
    def test_spreads(self):
        self.assertEqual(tables.spread([3.0, 1.0, 2.0], tables.whole), "2 (1 to 3)")
        self.assertEqual(tables.counts([7, None, 9]), "8 (7 to 9), in 1 of 3 runs never")
        self.assertEqual(tables.counts([None]), "never")

    def table(self, *lines):
        file = self.write("learned.json", "".join(json.dumps(line) + "\n" for line in lines))
        return calling.run(sys.executable, BENCH / "learning.py", "table", file)

    def rows(self, kind, one_core=None):
        common = {"learning": kind, "run": 1, "one_core": one_core}
        common["cell"] = ["alltoall", 2, "64", "x"]
        times = {"auto": auto_times(), "x": [3.0] * COUNT, "y": [1.0] * COUNT}
        ran = {"auto": {"ran": CHANGES}}
        # The same again, so that there are 100 calls.
        return [
            {
                **{**common, "algorithm": name, "parameters": "", "samples_us": series * 4},
                **ran.get(name, {}),
            }
            for name, series in times.items()
        ]

    def test_of_regrets(self):
        result = self.table(*self.rows("regret"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        cell = "| alltoall, 2 ranks, S = 64 |"
        self.assertIn(f"{cell} x | 3 | y | {LEFT} |", result.stdout)
        self.assertIn(f"{cell} 100 |", result.stdout)
        self.assertNotIn(f"{cell} 1000 |", result.stdout)
        self.assertNotIn("Ranks that move", result.stdout)

    def test_of_moves(self):
        result = self.table(*self.rows("drift", one_core=[10, 25]))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("onto one core | x | 1 | y | y | 0 | 5 | 1 |", result.stdout)
        self.assertIn("back | y | 1 | y | y | never | never |", result.stdout)

    def test_nothing_to_print(self):
        self.assert_refused(self.table({"algorithm": "mpi"}), "learning", "no rows")


if __name__ == "__main__":
    unittest.main(verbosity=2)
