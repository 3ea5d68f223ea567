#!/usr/bin/env python3
"""What bench/long_blocks.py starts and keeps."""

import sys
import unittest
from pathlib import Path

import calling

SCRIPT = Path(__file__).resolve().parents[2] / "bench/long_blocks.py"


class LongBlocks(calling.ProgramTest):
    def measure(self, launcher, *words):
        path = self.write("launcher", f"#!/bin/sh\n{launcher}\n", mode=0o755)
        output = path.parent / "measured"
        words = ["--output", output, "--bench", "bench", "--launch", str(path), *words]
        return calling.run(sys.executable, SCRIPT, *words), output / "launched.json"

    def test_rows_are_appended_until_the_time_is_over(self):
        done, file = self.measure('echo "$@"', "--minutes", "0.01", "--ranks", "2", "64")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = file.read_text(encoding="utf-8").splitlines()
        self.assertIn("passes of", done.stderr)
        self.assertTrue(all(" --algorithm mpi,auto --bytes " in row for row in rows))
        self.assertTrue(any(row.startswith("2 bench alltoall") for row in rows))
        # 64 ranks with blocks of 4 MiB would send 16 GiB.
        self.assertFalse(any(row.startswith("64") and "4m" in row for row in rows))

    def test_a_failed_run_ends_it(self):
        done, _ = self.measure("exit 3", "--minutes", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("long_blocks: status 3 of ", done.stderr)


if __name__ == "__main__":
    unittest.main()
