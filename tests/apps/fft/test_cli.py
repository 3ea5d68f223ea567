#!/usr/bin/env python3
"""Tests of rondo-fft as it is called: what it prints, and how it ends.

test_cli.py --fft build/bin/rondo-fft --spoiler libfft_spoiler.so --library yes|no
            --mpirun tools/mpirun ...
"""

import json
import statistics

import calling
from calling import options

FFTW_MPI = "fftw-mpi"

# Ranks, options, and a part of the one sentence on stderr.
WRONG_USE = [
    (2, "--size 4x4x4 --decomposition pencil --grid 2x2", ["2x2", "4 places", "2 ranks"]),
    (2, "--algorithm auto,nonsense", ["nonsense"]),
    (1, "--points 99999999999", ["99999999999", "more ranks"]),
    (2, "--size 4x4x4 --decomposition pencil --pipeline 2", ["--pipeline", "only slabs"]),
]


def run(ranks, words, before=()):
    return calling.run_ranks(ranks, *before, options.fft, *words.split(), "--quiet")


class Fft(calling.ProgramTest):
    def test_json(self):
        done = run(2, "--points 300 --algorithm mpi,auto --repeat 3 --meet --verify --format json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        report = json.loads(done.stdout)
        self.assertEqual((report["ranks"], report["points"], report["matrix"]), (2, 300, "10x30"))
        self.assertEqual(set(report["relative_error"]), {"mpi", "auto"})
        for error in report["relative_error"].values():
            self.assertTrue(0 < error <= 1e-12, error)
        for arm in report["arms"]:
            self.assertEqual(len(arm["runs"]), 3)
            for one in arm["runs"]:
                for part in ("exchange", "compute"):
                    self.assertGreater(one[f"{part}_seconds"], 0)
                    self.assertLess(one[f"{part}_seconds"], one["total_seconds"])

    def test_the_library(self):
        words = f"--size 6x7x5 --direction both --precision single --algorithm auto,{FFTW_MPI}"
        done = run(2, words + " --verify --format json")
        if str(options.library) == "no":
            self.assert_refused(done, "rondo-fft", "built without an FFTW")
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        report = json.loads(done.stdout)
        self.assertLess(report["relative_error"][FFTW_MPI], 1e-5)
        ours, library = report["arms"]
        self.assertIn("exchange_seconds", ours["runs"][0])
        self.assertNotIn("exchange_seconds", library["runs"][0])
        self.assertNotIn("exchange_speedup", library)
        self.assertGreater(library["total_speedup"]["ratio"], 0)

    def test_pipeline(self):
        # Even and uneven slabs; more parts than planes, and than exchanges that may be outstanding.
        for ranks, size in ((2, "8x6x5"), (3, "7x5x4"), (4, "3x9x2"), (1, "4x4x4")):
            for parts in (1, 2, 7):
                with self.subTest(ranks=ranks, size=size, parts=parts):
                    words = f"--size {size} --direction both --pipeline {parts} --verify"
                    words += " --algorithm mpi,auto,spread_out --iterations 3 --format json"
                    done = run(ranks, words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                    report = json.loads(done.stdout)
                    self.assertEqual(report["pipeline"], parts)
                    names = ["mpi", "auto", "spread_out"]
                    both = [one for name in names for one in (name, name + "+pipeline")]
                    self.assertEqual([arm["algorithm"] for arm in report["arms"]], both)
                    self.assertEqual(set(report["relative_error"]), set(both))
                    for error in report["relative_error"].values():
                        self.assertLessEqual(error, 1e-12)
                    self.assertNotIn("exchange_seconds", report["arms"][1]["runs"][0])

    def test_comparisons_tell_how_often_each_was_run(self):
        words = "--blocks 1 --algorithm mpi,auto"
        done = run(2, words)
        self.assertIn(
            "\nOne run of each, so differences may be due to chance; --repeat 5", done.stdout
        )
        self.assertNotRegex(done.stdout, r"\d - \d")
        done = run(2, words + " --repeat 3")
        self.assertIn("\nMedians of 3 runs of each; ratios of the medians", done.stdout)
        self.assertRegex(done.stdout, r"\nauto .* \d+\.\d\d \(\d+\.\d\d - \d+\.\d\d\)")

    def test_ratios_are_those_of_the_medians(self):
        done = run(2, "--blocks 1 --algorithm mpi,auto --repeat 4 --format json")
        base, arm = json.loads(done.stdout)["arms"]
        for part in ("exchange", "total"):
            medians = [
                statistics.median(one[f"{part}_seconds"] for one in way["runs"])
                for way in (base, arm)
            ]
            speedup = arm[f"{part}_speedup"]
            self.assertAlmostEqual(speedup["ratio"], medians[0] / medians[1], delta=1e-6)
            self.assertTrue(speedup["low"] <= speedup["ratio"] <= speedup["high"])
        alone = json.loads(run(1, "--blocks 1 --algorithm mpi,auto --format json").stdout)
        self.assertIsNone(alone["arms"][1]["total_speedup"]["low"])

    def test_table(self):
        done = run(3, "--size 6x7x5 --decomposition pencil --direction backward --iterations 2")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("grid: 1x3\n", done.stdout)
        self.assertIn("exchange ms", done.stdout)
        self.assertNotIn("relative_error", done.stdout)

    def test_wrong_results_are_told(self):
        done = run(2, "--blocks 4 --verify", ["env", f"LD_PRELOAD={options.spoiler}"])
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, "rondo-fft: the result with auto is wrong: .* 1e-12")

    def test_wrong_use(self):
        for ranks, words, said in WRONG_USE:
            with self.subTest(words=words):
                self.assert_refused(run(ranks, words), "rondo-fft", *said)


if __name__ == "__main__":
    calling.main(__doc__, "fft", "spoiler", "library")
