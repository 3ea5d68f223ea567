#!/usr/bin/env python3
"""Exchanges between nodes that share no memory: MPI tests on clusters of unequal nodes.

$RONDO_MPI_TESTS is the program mpi_tests, built for Open MPI. RONDO_TEST_SEED replays placements
and rows. With --all, what takes longer runs instead.
"""

import os
import sys
import time
import unittest
from pathlib import Path

import calling
import support
from support import succeed, temporary

SEED = calling.seed()
ALL = "--all" in sys.argv
PLACEMENTS = ["block", "round-robin", f"random:{SEED}"]
LARGE = (3, "5")
SMALL = (2, "3,1")
ROWS = [
    # cluster: nodes, and ranks of each; test, its arguments, placements
    (LARGE, "stress", ["--exchanges", 210], PLACEMENTS),
    (LARGE, "errors_everywhere", [], PLACEMENTS[1:2]),
    (SMALL, "exchange", [], PLACEMENTS[1:2]),
    (SMALL, "stress", ["--exchanges", 210], PLACEMENTS),
    (SMALL, "errors_everywhere", [], PLACEMENTS[:1]),
    (SMALL, "progress", [], PLACEMENTS[2:]),
]
if ALL:
    ROWS = [(LARGE, name, [], PLACEMENTS) for name in ("exchange", "progress")]
    ROWS += [(nodes, "stress", ["--all"], PLACEMENTS) for nodes in (LARGE, SMALL)]
    support.SECONDS = 3600


class Exchange(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Path(os.environ["RONDO_MPI_TESTS"])

    def test_three_nodes_of_5(self):
        self.run_rows(LARGE)

    def test_nodes_of_3_and_1(self):
        self.run_rows(SMALL)

    def run_rows(self, nodes):
        with temporary(nodes[0]) as name:
            for wanted, test, arguments, placements in ROWS:
                for placement in placements if wanted == nodes else []:
                    with self.subTest(test=test, placement=placement, seed=SEED):
                        self.run_test(name, nodes[1], placement, [test, *arguments])

    def run_test(self, cluster, ranks, placement, arguments):
        began = time.monotonic()
        options = ["--name", cluster, "--ranks-per-node", ranks, "--placement", placement]
        # Ranks share cores.
        options += ["--mca", "mpi_yield_when_idle", 1]
        words = [self.program, *arguments, "--seed", SEED]
        said = succeed("run", *options, "--", *words, timeout=support.SECONDS)
        self.assertRegex(said, r"rows: [1-9][0-9]* passed, 0 failed")
        print(f"{arguments[0]} {placement}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    if ALL:
        sys.argv.remove("--all")
    support.main()
