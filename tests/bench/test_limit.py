#!/usr/bin/env python3
"""Tests of rondo-limit as it is called.

test_limit.py --limit build/bin/rondo-limit --mpirun tools/mpirun
"""

import json
import subprocess
import unittest

import calling


class Programs:
    """How to start the program."""

    limit = ""
    mpirun: list[str] = []


def run(ranks, *options):
    command = [*Programs.mpirun, "-n", str(ranks), Programs.limit, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


class Limit(unittest.TestCase):
    def test_a_row_for_each_size(self):
        for ranks in (1, 3):
            done = run(ranks, "--bytes", "0,1,16,1k", "--iterations", "3", "--batch", "2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([row["bytes"] for row in rows], [0, 1, 16, 1024])
            for row in rows:
                self.assertEqual((row["program"], row["ranks"]), ("limit", ranks))
                self.assertEqual((row["iterations"], row["batch"]), (3, 2))
                self.assertEqual(row["bytes_per_rank"], ranks * row["bytes"] // 2)
                self.assertTrue(0 < row["min_us"] <= row["median_us"] <= row["max_us"], row)

    def test_blocks_that_do_not_go_through_shared_memory(self):
        done = run(2, "--bytes", "1m")
        self.assertEqual(done.returncode, 2)
        self.assertIn("rondo-limit: --bytes: 1048576 is more than twice the ", done.stderr)


if __name__ == "__main__":
    calling.main(__doc__, Programs, "limit")
