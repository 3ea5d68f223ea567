#!/usr/bin/env python3
"""Tests of how tools/cluster reads its arguments. They need neither root nor a cluster."""

import sys
import unittest

from support import CLUSTER, cluster

sys.path.insert(0, str(CLUSTER.parent))
# pylint: disable=wrong-import-position
from cluster_lib import launch, network, remote  # noqa: E402
from cluster_lib.errors import UNUSABLE, ClusterError  # noqa: E402
from cluster_lib.folder import Cluster  # noqa: E402

PLACED = [
    # ranks per node, placement, the node of every rank
    ([2, 2], "block", [0, 0, 1, 1]),
    ([2, 2], "round-robin", [0, 1, 0, 1]),
    ([4, 2, 6], "block", [0] * 4 + [1] * 2 + [2] * 6),
    ([4, 2, 6], "round-robin", [0, 1, 2, 0, 1, 2, 0, 2, 0, 2, 2, 2]),
    ([3], "round-robin", [0, 0, 0]),
]
RATES = [
    ("1gbit", 10**9),
    ("100mbit", 10**8),
    ("20Mbit", 2 * 10**7),
    ("7kbit", 7000),
    ("800bit", 800),
]
TMP = [
    (["/usr/bin/env"], []),
    (["/tmp/build/bin/a", "/tmp/build/lib"], ["/tmp/build"]),
    (["/tmp/b", "/tmp/a/../a/x", "/home"], ["/tmp/a", "/tmp/b"]),
]
BAD_USAGE = [
    (["up"], "arguments are required: N"),
    (["up", "two"], "invalid int value"),
    (["up", "0"], "0 nodes"),
    (["up", "1000"], "1000 nodes"),
    (["up", "2", "--rate", "fast"], "'fast' must be written as in"),
    (["up", "2", "--name", "A/b"], "'A/b' may only contain"),
    (["run", "--", "true"], "--ranks-per-node"),
    (["run", "--ranks-per-node", "1"], "PROGRAM"),
    (["down", "--all", "--name", "a"], "not allowed with"),
    (["sideways"], "invalid choice"),
    ([], "COMMAND"),
]


class Arguments(unittest.TestCase):
    def refuses(self, said, function, *arguments):
        with self.assertRaises(ClusterError) as caught:
            function(*arguments)
        self.assertIn(said, str(caught.exception))
        self.assertEqual(caught.exception.code, UNUSABLE)

    def test_placement(self):
        for numbers, placement, nodes in PLACED:
            with self.subTest(numbers=numbers, placement=placement):
                self.assertEqual(launch.place(numbers, placement), nodes)

    def test_random_placement(self):
        nodes = launch.place([4, 2, 6], "random:5")
        self.assertEqual(sorted(nodes), launch.place([4, 2, 6], "block"))
        self.assertNotEqual(nodes, sorted(nodes))
        self.assertEqual(nodes, launch.place([4, 2, 6], "random:5"))
        self.assertNotEqual(nodes, launch.place([4, 2, 6], "random:6"))

    def test_unknown_placement(self):
        for placement in ("cyclic", "random", "random:x", ""):
            self.refuses("is not block", launch.place, [1, 2], placement)

    def test_numbers_of_ranks(self):
        self.assertEqual(launch.numbers_of_ranks("8", 4), [8] * 4)
        self.assertEqual(launch.numbers_of_ranks("4,2,6", 3), [4, 2, 6])
        self.refuses("names 3 nodes, but 2 are used", launch.numbers_of_ranks, "4,2,6", 2)
        for text in ("0", "4,0", "-1", "", "4,,2", "x"):
            self.refuses("is not a number of ranks", launch.numbers_of_ranks, text, 2)

    def test_rate(self):
        for text, rate in RATES:
            self.assertEqual(network.check_rate(text), rate)
        for text in ("0mbit", "fast", "1.5gbit", "1gbps", "-1mbit", "10", ""):
            self.refuses("must be written as in", network.check_rate, text)

    def test_entries_of_tmp(self):
        for paths, entries in TMP:
            self.assertEqual(remote.entries_of_tmp(paths), entries)
        with self.assertRaisesRegex(ClusterError, "is in /dev/shm"):
            remote.entries_of_tmp(["/dev/shm/program"])
        with self.assertRaisesRegex(ClusterError, "has its own /tmp"):
            remote.entries_of_tmp(["/tmp"])

    def test_names(self):
        for name in ("a", "4-x", "test-1"):
            self.assertEqual(Cluster(name).path.name, name)
        for name in ("", "..", "A", "a/b", "a b", "-a", "a" * 32):
            self.refuses("may only contain", Cluster, name)

    def test_bad_usage(self):
        for words, said in BAD_USAGE:
            with self.subTest(words=words):
                result = cluster(*words)
                self.assertEqual(result.returncode, 2)
                self.assertIn(said, result.stderr)

    def test_help(self):
        result = cluster("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("tools/cluster run --ranks-per-node 8 --", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
