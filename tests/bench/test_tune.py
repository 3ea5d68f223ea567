#!/usr/bin/env python3
"""Tests of rondo-tune as it is called, and of the profile that it writes.

test_tune.py --tune build/bin/rondo-tune --bench build/bin/rondo-bench --mpirun tools/mpirun ...
"""

import json

import calling
from calling import json_rows, options, run_ranks

BUDGET = "1"

# Ranks, options, and what the one sentence on stderr must say.
WRONG_USE = [
    (0, [], "--output"),
    (2, ["--output", "/proc/x/y.json", "--budget", BUDGET], "/proc/x/y.json"),
]


class Tune(calling.ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "new folder" / "profile.json"

    def tune(self, ranks, *words):
        done = run_ranks(ranks, options.tune, "--budget", BUDGET, "--output", self.path, *words)
        self.assertEqual(done.returncode, 0, done)
        return done

    def profile(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def test_one_layout_after_another(self):
        """Each is added to what is there; measured again, it takes its own place."""
        self.tune(0)
        done = self.tune(2, "--progress")
        self.check_progress(done)
        profile = self.profile()
        self.check_what_is_written(profile)
        self.check_auto(profile)
        self.tune(0)
        self.assertEqual([layout["ranks"] for layout in self.profile()["layouts"]], [1, 2])

        profile["signature"]["processor"] = "an abacus"
        self.path.write_text(json.dumps(profile), encoding="utf-8")
        done = self.tune(0)
        self.assertIn("is written anew: it is of a machine with", done.stderr)
        self.assertEqual([layout["ranks"] for layout in self.profile()["layouts"]], [1])

    def check_progress(self, done):
        lines = json_rows(done.stdout)
        shares = [line["done"] for line in lines[:-1]]
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(all(0 <= share <= 1 for share in shares), shares)
        self.assertEqual(lines[-1]["written"], str(self.path))
        self.assertEqual(lines[-1]["layout"]["ranks"], 2)

    def check_what_is_written(self, profile):
        one, two = profile["layouts"]
        self.assertEqual((one["ranks"], one["nodes"]), (1, 1))
        self.assertEqual((two["ranks"], two["nodes"]), (2, 1))
        for collective in ("alltoall", "alltoallv"):
            ends = [band.get("up_to") for band in two[collective]]
            self.assertIsNone(ends.pop())
            self.assertEqual(ends, sorted(ends))
            for band in two[collective]:
                self.assertRegex(band["reason"], r"measured: [\d.e+]+ us at S = \d+")
        for name in ("inside_alpha_seconds", "copy_seconds_per_byte", "switch_seconds"):
            self.assertGreater(profile["machine"][name], 0, name)
            self.assertLess(profile["machine"][name], 1e-2, name)

    def check_auto(self, profile):
        """It goes by the profile."""
        words = "alltoall --algorithm auto --bytes 16 --check --iterations 3".split()
        variables = {"RONDO_PROFILE": str(self.path), "RONDO_VERBOSE": "1"}
        done = run_ranks(2, options.bench, *words, variables=variables)
        self.assertEqual(done.returncode, 0, done)
        band = profile["layouts"][1]["alltoall"][0]
        self.assertIn(f"S = 16: {band['algorithm']}; {band['reason']}", done.stderr)

    def test_wrong_use(self):
        for ranks, words, sentence in WRONG_USE:
            with self.subTest(words=words):
                self.assert_refused(run_ranks(ranks, options.tune, *words), "rondo-tune", sentence)


if __name__ == "__main__":
    calling.main(__doc__, "tune", "bench")
