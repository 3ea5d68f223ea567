#!/usr/bin/env python3
"""Tests of bench/regret.py from end to end: it searches with rondo-bench, on two ranks.

test_regret_search.py --bench build/bin/rondo-bench --mpirun tools/mpirun ...
"""

import json
import shlex
import sys
from pathlib import Path

import calling
from calling import options

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))

from regret_lib import race, table  # noqa: E402


def regret(*words):
    return calling.run(sys.executable, BENCH / "regret.py", *words, timeout=240)


def search_into(output, *words):
    launcher = shlex.join(map(str, [*options.mpirun, "-n", "2"]))
    start = ["run", "--launcher", launcher, "--bench", options.bench, "--seconds", "1"]
    return regret(*start, "--output", output, *words)


class TheSearch(calling.ProgramTest):
    def search(self, *words):
        file = self.folder / "cells.json"
        result = search_into(file, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = [json.loads(line) for line in file.read_text().splitlines()]
        # The figures are as they come, and so is whether they keep the limits.
        self.assertIn(regret("table", file).returncode, (0, 1))
        return result, found

    def test_of_alltoallv(self):
        result, found = self.search("--bytes", "1k", "--distributions", "uniform,power:0.99")
        records = [row for row in found if "algorithm" not in row]
        self.assertEqual(len(records), 2)
        cells = table.samples_of(json.dumps(row) for row in found)
        self.assertEqual(len(cells), 2)
        for record in records:
            with self.subTest(record=record):
                samples = cells[table.place_of(record)]
                out = record["thrown_out_over_mpi"]
                self.assertEqual(len(samples) - 1 + len(out), record["candidates"])
                self.assertTrue({"mpi", "auto"} <= samples.keys())
                self.assertGreaterEqual(len(samples["auto"]), race.LEAST_ITERATIONS)
                self.assertFalse(out.keys() & samples.keys())
        self.assertIn("2 of 2, power:0.99, S = 1024: ", result.stderr)

    def test_of_alltoall(self):
        _, found = self.search("--bytes", "16", "--collective", "alltoall")
        names = {row["algorithm"] for row in found if "algorithm" in row}
        names |= found[0]["thrown_out_over_mpi"].keys()
        self.assertTrue({"tunable_bruck", "two_layer_bruck", "zero_rotation_bruck"} <= names)
        self.assertEqual({row["distribution"] for row in found}, {"constant"})

    def test_wrong_use(self):
        for words, sentence in [
            (["--bench", "no_such_bench"], "no_such_bench is not there"),
            (["--launcher", "no_such_launcher"], "cannot start no_such_launcher"),
            (["--launcher", "true"], "no rows of rondo-bench"),
            (["--bytes", "16q"], "'16q' is not a size"),
            (["--seconds", "0"], "'0' is not a whole number above 0"),
            (["--output", "no_such_folder/x"], "no_such_folder/x"),
        ]:
            with self.subTest(words=words):
                result = search_into(self.folder / "cells.json", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    calling.main(__doc__, "bench")
