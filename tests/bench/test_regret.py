#!/usr/bin/env python3
"""Tests of bench/regret.py on samples whose regrets are known; they need no MPI."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import calling

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))

from regret_lib import race, verdict  # noqa: E402
from regret_lib.candidates import Cell, blocks_of, candidates, is_tuned  # noqa: E402


def row(algorithm, samples, **changes):
    common = {"collective": "alltoallv", "ranks": 8, "nodes": 1, "distribution": "uniform"}
    return json.dumps(
        {**common, "bytes": 64, "algorithm": algorithm, "samples_us": samples, **changes}
    )


def rows(series, **changes):
    return "".join(row(name, samples, **changes) + "\n" for name, samples in series.items())


def steady(time, count=40):
    """Samples with a little noise, the same for all iterations alike."""
    return [time * (1 + 0.001 * (i // 2 % 5)) for i in range(count)]


def times(**over_mpi):
    """As short runs without any noise find them."""
    return {name: verdict.Excess(*[time - 1] * 3) for name, time in over_mpi.items()}


class TheCandidates(unittest.TestCase):
    def test_are_the_variants_of_algorithms_that_can_run(self):
        names = ["mpi", "a", "a:radix=2", "ab", "b:inter=bruck:radix=3"]
        variants = [{"bytes": 64, "algorithm": name} for name in names]
        self.assertEqual(candidates(variants, {"mpi", "a", "b"}), [*names[:3], names[4]])

    def test_blocks_are_those_of_all_ranks(self):
        blocks = {
            name: blocks_of(Cell(name, 1), 8)
            for name in ("uniform", "power:0.99", "sparse:4", "stencil:27", "stencil:7:same")
        }
        self.assertEqual(list(blocks.values()), [64, 64, 32, 64, 56])

    def test_along_edges_and_with_few_partners_nothing_is_tuned(self):
        self.assertTrue(is_tuned("alltoallv_dynamic"))
        self.assertFalse(is_tuned("neighbor_alltoallw") or is_tuned("sparse_alltoallv"))


class TheVariants(unittest.TestCase):
    """A program in rondo-bench's place says how it was called."""

    def test_are_asked_for_by_cell(self):
        with tempfile.TemporaryDirectory() as folder:
            program = calling.write_program(
                Path(folder) / "bench",
                f"#!{sys.executable}\n"
                "import json, sys\n"
                "print('a launcher talks')\n"
                "print(json.dumps({'algorithm': ' '.join(sys.argv[1:])}))\n",
            )
            bench = race.Bench([], str(program), "alltoallv", seed=1, patience=60)
            found = bench.variants(Cell("power:0.99", 4096))
        words = "alltoallv --bytes 4096 --distribution power:0.99 --format json --variants"
        self.assertEqual(found, [{"algorithm": words}])

    def test_what_runs_beside_them_is_no_candidate(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = row("auto", [1.0]) + "\n" + row("by_hand", [1.0]) + "\n" + row("a", [1.0])
            script = f"#!{sys.executable}\nprint({rows!r})\n"
            program = calling.write_program(Path(folder) / "bench", script)
            bench = race.Bench([], str(program), "neighbor_alltoallv", seed=1, patience=60)
            found = bench.run(Cell("sparse:4", 64), ["a"], 1, 0)
            names = race.all_candidates(bench, Cell("sparse:4", 64), {"b", "a"})
        self.assertEqual([one["algorithm"] for one in found], ["auto", "a"])
        self.assertEqual(names, ["a", "b"])


class TheRace(unittest.TestCase):
    def test_only_what_takes_more_than_twice_as_long_is_thrown_out(self):
        short = times(mpi=1.0, a=0.5, b=1.0, c=1.01, auto=3.0)
        self.assertEqual(race.finalists(short, 30), ["mpi", "auto", "a", "b"])

    def test_only_beyond_doubt(self):
        doubtful = {"b": verdict.Excess(0.5, 0.05, 0.8), "c": verdict.Excess(0.5, 0.2, 0.8)}
        best = {"a": verdict.Excess(-0.5, -0.6, -0.45)}  # 0.55 of the library's time at most
        short = {**times(mpi=1.0, auto=1.0), **best, **doubtful}
        self.assertEqual(race.finalists(short, 30), ["mpi", "auto", "a", "b"])

    def test_the_library_may_be_the_best(self):
        short = times(mpi=1.0, a=1.5, b=2.5, auto=1.0)
        self.assertEqual(race.finalists(short, 30), ["mpi", "auto", "a"])

    def test_auto_throws_nobody_out(self):
        self.assertIn("a", race.finalists(times(mpi=1.0, a=1.9, auto=0.1), 30))

    def test_at_most_so_many_and_the_quickest(self):
        short = times(mpi=1.0, a=0.9, b=0.7, c=0.8, auto=0.7)
        self.assertEqual(race.finalists(short, 2), ["mpi", "auto", "b", "c"])

    def test_as_many_iterations_as_fit(self):
        # Two of 5 milliseconds each, with barriers 20 an iteration; half a second to set each up.
        short = race.ShortRuns({}, {"a": 5000, "b": 5000, "c": 1e9}, setup_seconds=0.5)
        self.assertEqual(race.iterations_within(3.03, short, ["a", "b"]), 100)
        self.assertEqual(race.iterations_within(0.1, short, ["a", "b"]), race.LEAST_ITERATIONS)
        self.assertEqual(race.iterations_within(1e6, short, ["a", "b"]), race.MOST_ITERATIONS)

    def test_long_calls_teach_fewer_times(self):
        effort = race.Effort(seconds=10, learn=500)
        self.assertEqual(effort.learned_within(0.001), 500)
        self.assertEqual(effort.learned_within(0.1), 100)
        self.assertEqual(race.Effort(seconds=10).learned_within(0.1), 0)

    def test_a_launcher_that_does_not_end_is_ended(self):
        with self.assertRaisesRegex(race.RaceError, "did not end in 0 s"):
            race.run_within(0.2, [sys.executable, "-c", "import time; time.sleep(100)"])

    def test_a_launcher_that_fails_or_is_not_there(self):
        with self.assertRaisesRegex(race.RaceError, "exit status 3"):
            race.run_within(60, [sys.executable, "-c", "raise SystemExit(3)"])
        with self.assertRaisesRegex(race.RaceError, "cannot start no_such_launcher"):
            race.run_within(60, ["no_such_launcher"])


class TheVerdict(unittest.TestCase):
    def test_known_regret(self):
        samples = {"mpi": steady(200), "x": steady(100), "y": steady(101), "auto": steady(110)}
        found = verdict.judge(samples)
        self.assertEqual(found.best, "x")
        self.assertAlmostEqual(found.regret.value, 0.1)
        self.assertAlmostEqual(found.slowdown.value, -0.45)
        self.assertLessEqual(found.regret.low, found.regret.value)
        self.assertGreaterEqual(found.regret.high, found.regret.value)

    def test_chosen_on_odd_iterations_and_judged_on_even_ones(self):
        # x was quicker than y where it was chosen, and slower where it is judged.
        samples = {
            "mpi": [900.0] * 40,
            "x": [120.0, 80.0] * 20,
            "y": [100.0, 100.0] * 20,
            "auto": [132.0, 1.0] * 20,
        }
        found = verdict.judge(samples)
        self.assertEqual(found.best, "x")
        self.assertAlmostEqual(found.regret.value, 0.1)

    def test_the_library_is_a_candidate_and_auto_is_none(self):
        found = verdict.judge({"mpi": [10.0] * 4, "auto": [5.0] * 4})
        self.assertEqual(found.best, "mpi")
        self.assertEqual(found.regret, verdict.Excess(-0.5, -0.5, -0.5))
        self.assertEqual(found.slowdown, found.regret)

    def test_iterations_are_drawn_whole(self):
        # The machine was ten times as slow every third iteration, for both: the ratio never moves.
        quick = [1000.0 if i % 3 else 100.0 for i in range(60)]
        found = verdict.excess([1.2 * sample for sample in quick], quick)
        for value in found:
            self.assertAlmostEqual(value, 0.2)

    def test_interval_widens_with_noise_and_is_the_same_again(self):
        def width(noise):
            slow = [100 + noise * (i * 7 % 11) for i in range(40)]
            found = verdict.excess(slow, [100.0] * 40)
            self.assertEqual(found, verdict.excess(slow, [100.0] * 40))
            return found.high - found.low

        self.assertEqual(width(0), 0)
        self.assertGreater(width(10), width(1))
        self.assertGreater(width(1), 0)

    def test_a_limit_is_broken_by_the_whole_interval_only(self):
        self.assertFalse(verdict.Excess(0.4, 0.25, 0.5).is_beyond(0.25))
        self.assertTrue(verdict.Excess(0.4, 0.26, 0.5).is_beyond(0.25))

    def test_what_cannot_be_judged(self):
        two = [1.0, 2.0]
        for samples, sentence in [
            ({"mpi": two, "x": two}, "no samples of `auto`"),
            ({"auto": two, "x": two}, "no samples of `mpi`"),
            ({"auto": two, "mpi": [1.0, 2.0, 3.0]}, "same number"),
            ({"auto": [1.0], "mpi": [1.0]}, "two at least"),
            ({"auto": two, "mpi": [0.0, 1.0]}, "not positive"),
        ]:
            with self.subTest(sentence=sentence), self.assertRaisesRegex(ValueError, sentence):
                verdict.judge(samples)


def series(regret, slowdown):
    """Of a cell with this regret, and this much slower than the library."""
    auto = 100 * (1 + regret)
    return {"mpi": steady(auto / (1 + slowdown)), "x:radix=2": steady(100), "auto": steady(auto)}


class TheTable(calling.ProgramTest):
    def table_of(self, file):
        return calling.run(sys.executable, BENCH / "regret.py", "table", file)

    def table(self, text):
        return self.table_of(self.write("cells.json", text))

    def test_all_limits_hold(self):
        text = 'a launcher talks\n{"program": "regret", "candidates": 9}\n'
        text += rows(series(0.20, -0.5)) + rows(series(0, -0.1), bytes=1024)
        text += rows(series(0.01, 0.04), distribution="normal")
        result = self.table(text)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = result.stdout.splitlines()
        self.assertIn("### Regret of `auto`, alltoallv", said)
        self.assertIn("| ranks, distribution | S = 64 | S = 1024 |", said)
        self.assertIn("| 8 ranks, 1 node, uniform | 20.0 %, x:radix=2 | 0.0 % |", said)
        self.assertIn("- holds: Median regret of 3 cells: 4.0 %, limit 5 %.", said)
        self.assertRegex(result.stdout, "8 ranks, 1 node, normal [|] 4.0 %, mpi [|] - [|]")
        self.assertIn("### Time of `auto` over the MPI library's, alltoallv", said)
        self.assertRegex(result.stdout, r"normal [|] 1\.04 \(1\.04-1\.04\) [|] - [|]")
        self.assertNotIn("learned", result.stdout)
        for worst in [
            r"Worst regret: 20\.0 % .*uniform, S = 64; beyond 25 %: none; in doubt: 0\.",
            r"MPI library: 4\.0 % .*normal, S = 64; beyond 5 %: none; in doubt: 0\.",
        ]:
            self.assertRegex(result.stdout, worst)

    def test_fewer_calls_to_learn_from_are_told(self):
        cell = {"collective": "alltoallv", "ranks": 8, "nodes": 1, "distribution": "uniform"}
        records = [{**cell, "bytes": 64, "learned_calls": 500}]
        records.append({**cell, "bytes": 128, "learned_calls": 20})
        text = "".join(json.dumps(record) + "\n" for record in records)
        result = self.table(text + rows(series(0, -0.5)) + rows(series(0, -0.5), bytes=128))
        place = "alltoallv, 8 ranks, 1 node, uniform, S = 128"
        self.assertIn(f"- `auto` learned from 500 calls; from fewer: {place}: 20.", result.stdout)

    def test_doubt_breaks_no_limit_and_is_told(self):
        noisy = {"mpi": steady(400), "x": steady(100), "auto": ([50.0] * 10 + [300.0] * 10) * 2}
        result = self.table(rows(noisy) + rows(series(0, -0.5), bytes=128))
        self.assertRegex(result.stdout, r"holds: Worst regret: .* beyond 25 %: none; in doubt: 1\.")

    def test_each_limit_can_be_broken(self):
        good = rows(series(0, -0.5)) + rows(series(0, -0.5), bytes=128)
        for bad, sentence in [
            (rows(series(0.3, -0.1), ranks=32, nodes=4), "BROKEN: Worst regret: 30.0 %"),
            (rows(series(0.01, 0.06), bytes=16), "BROKEN: Slowest against the MPI library: 6.0 %"),
        ]:
            with self.subTest(sentence=sentence):
                result = self.table(good + bad)
                self.assertEqual((result.returncode, result.stderr), (1, ""))
                self.assertIn(sentence, result.stdout)
                self.assertEqual(result.stdout.count("BROKEN"), 1)
                self.assertIn("**", result.stdout)
        result = self.table(rows(series(0.06, -0.1)) + rows(series(0.07, -0.1), bytes=128))
        self.assertEqual(result.returncode, 1)
        self.assertIn("BROKEN: Median regret of 2 cells: 6.5 %", result.stdout)

    def test_what_is_wrong_is_said(self):
        cell = rows(series(0, 0))
        for text, sentence in [
            ("", "no rows"),
            (cell + cell, "alltoallv, 8 ranks, 1 node, uniform, S = 64: mpi was measured twice"),
            (row("mpi", [1.0, 2.0]), "S = 64: no samples of `auto`"),
            ('{"algorithm": "mpi"}', "without 'ranks'"),
            ('{"algorithm":', "Expecting value"),
        ]:
            with self.subTest(sentence=sentence):
                self.assert_refused(self.table(text), "regret", sentence)

    def test_file_that_is_not_there(self):
        self.assert_refused(self.table_of("no_such_file.json"), "regret", "no_such_file.json")


if __name__ == "__main__":
    unittest.main(verbosity=2)
