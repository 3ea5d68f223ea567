#!/usr/bin/env python3
"""Tests of rondo-limit as it is called.

test_limit.py --limit build/bin/rondo-limit --mpirun tools/mpirun
"""

import calling
from calling import json_rows, options, run_ranks


class Limit(calling.ProgramTest):
    def test_a_row_for_each_size(self):
        words = "--bytes 0,1,16,1k --iterations 3 --batch 2 --format json".split()
        for ranks in (0, 3):
            done = run_ranks(ranks, options.limit, *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = json_rows(done.stdout)
            self.assertEqual([row["bytes"] for row in rows], [0, 1, 16, 1024])
            for row in rows:
                self.assertEqual((row["program"], row["ranks"]), ("limit", ranks or 1))
                self.assertEqual((row["iterations"], row["batch"]), (3, 2))
                self.assertEqual(row["bytes_per_rank"], (ranks or 1) * row["bytes"] // 2)
                self.assertTrue(0 < row["min_us"] <= row["median_us"] <= row["max_us"], row)

    def test_blocks_that_do_not_go_through_shared_memory(self):
        done = run_ranks(2, options.limit, "--bytes", "1m")
        self.assert_refused(done, "rondo-limit", "--bytes: 1048576 is more than twice the ")


if __name__ == "__main__":
    calling.main(__doc__, "limit")
