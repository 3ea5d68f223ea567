#!/usr/bin/env python3
"""Tests of rondo-closure as it is called, against a closure of their own.

test_closure.py --closure build/bin/rondo-closure --mpirun tools/mpirun ...
"""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

import calling
from calling import options

RANKS = (1, 2, 3, 5, 8)
SOME_SECONDS = 60
PATTERN = "%%MatrixMarket matrix coordinate pattern general\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n"

# The content of a file, and the error behind its name.
BAD_FILES = [
    ("1 2\n3\n4 5\n", ":2: an edge has two vertices, but the line has only '3'"),
    ("# x\n\n1 -2\n", ":3: '-2' is negative; the smallest vertex is 0"),
    ("1 2\nfour 5\nsix 7\n", ":2: 'four' is not a number"),
    ("1 2\n" * 50 + "x", ":51: 'x' is not a number"),
    ("1 18446744073709551616\n", ":1: '18446744073709551616' is too large; "
     "the largest vertex is 18446744073709551615"),
    (PATTERN + "5 5 3\n1 2\n2 3\n", ":4: the file ends after 2 of 3 entries"),
    (PATTERN + "5 5 1\n1 2\n% no entry\n2 3\nx\n",
     ":5: one entry more than the 1 announced"),
    (PATTERN + "5 5 2\n1 2\n6 3\n", ":4: index 6 is not in 1 .. 5"),
    (PATTERN + "5 5 2\n1 0\n2 3\n", ":3: index 0 is not in 1 .. 5"),
    (PATTERN + "% nothing else\n",
     ":2: the file ends before the line with rows, columns and entries"),
    (PATTERN.replace("coordinate", "array"),
     ":1: the matrix is 'array'; a graph needs a matrix with listed entries, `coordinate`"),
    (SYMMETRIC + "2 2 1\n2 1\n", ":3: row and column are followed by 0 values instead of 1"),
]  # fmt: skip

# Options, and a part of the one sentence on stderr.
WRONG_USE = [
    ([], "a FILE or --generate is needed"),
    (["--generate", "chain:5", "graph.txt"], "--generate"),
    (["--generate", "chain:5", "--output", "/no such folder/x"],
     "/no such folder/x.0: the folder /no such folder does not exist"),
    (["--generate", "chain:5", "--exchange", "dense"], "--exchange"),
    (["no such file"], "no such file: No such file or directory"),
    (["/"], "/: Is a directory"),
    (["/dev/null"], "/dev/null: not a regular file"),
]  # fmt: skip


def run(ranks, *words):
    return calling.run_ranks(ranks, options.closure, *words)


def closure_of(edges):
    """All pairs (x, y) with a path from x to y, and the length of the longest shortest path."""
    following = {}
    for x, y in edges:
        following.setdefault(x, set()).add(y)
    paths = set()
    longest = 0
    for start in following:
        reached, front, length = set(), {start}, 0
        while True:
            front = set().union(*(following.get(x, ()) for x in front)) - reached
            if not front:
                break
            reached |= front
            length += 1
        paths |= {(start, y) for y in reached}
        longest = max(longest, length)
    return paths, longest


def random_edges(chance, vertices, edges):
    return [(chance.randint(1, vertices), chance.randint(1, vertices)) for _ in range(edges)]


class Closure(calling.ProgramTest):
    def solve(self, ranks, *words):
        done = run(ranks, *words, "--format", "json")
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def check(self, report, edges):
        paths, longest = closure_of(edges)
        found = report["edges"], report["paths"], report["iterations"]
        self.assertEqual(found, (len(set(edges)), len(paths), longest))
        self.assertEqual(sum(row["new_tuples"] for row in report["rounds"]), len(paths))
        self.assertEqual(len(report["rounds"]), longest)

    def output(self, prefix, ranks):
        text = "".join(Path(f"{prefix}.{rank}").read_text() for rank in range(ranks))
        return [tuple(map(int, line.split("\t"))) for line in text.splitlines()]

    def test_random_graphs_on_any_number_of_ranks(self):
        seed = calling.seed()
        chance = random.Random(seed)
        for ranks in RANKS:
            with self.subTest(seed=seed, ranks=ranks):
                edges = random_edges(chance, 60, 75)
                lines = [f"{x}{chance.choice((' ', chr(9)))}{y}" for x, y in edges]
                end = chance.choice(("\n", "\r\n"))
                path = self.write("graph.txt", "# a graph" + end + end.join(lines))
                prefix = self.folder / "paths"
                report = self.solve(
                    ranks, path, "--output", prefix, "--algorithm", "mpi,auto,two_phase_bruck",
                    "--repeat", 2, "--meet",
                )  # fmt: skip
                self.check(report, edges)
                self.assertEqual(self.output(prefix, ranks), sorted(closure_of(edges)[0]))
                names = [arm["algorithm"] for arm in report["arms"]]
                self.assertEqual(names, ["mpi", "auto", "two_phase_bruck"])
                for row in report["rounds"]:
                    self.assertEqual(len(row["exchange_seconds"]), 3)

    def test_every_exchange_finds_the_same(self):
        edges = [(i, i + 1) for i in range(60)] + random_edges(random.Random(3), 60, 10)
        path = self.write("graph.txt", "".join(f"{x} {y}\n" for x, y in edges))
        for ranks in (1, 2, 7):
            for exchange in ("mixed", "dynamic", "counts"):
                with self.subTest(ranks=ranks, exchange=exchange):
                    report = self.solve(
                        ranks, path, "--exchange", exchange, "--algorithm", "auto,mpi"
                    )
                    self.check(report, edges)
                    self.assertEqual(report["exchange"], exchange)
                    sparse = [row["sparse"] for row in report["rounds"]]
                    if ranks != 2:  # of 2 ranks hardly any round has few enough partners
                        self.assertEqual(any(sparse), exchange == "mixed")

    def test_matrices_are_graphs(self):
        edges = random_edges(random.Random(7), 40, 45)
        entries = "".join(f"{x} {y} 0.5\n" for x, y in edges)
        sizes = f"% sizes\n40 40 {len(edges)}\n"
        general = self.write("a", SYMMETRIC.replace("symmetric", "general") + sizes + entries)
        self.check(self.solve(3, general), edges)
        symmetric = self.write("b", SYMMETRIC + sizes + entries)
        self.check(self.solve(3, symmetric), edges + [(y, x) for x, y in edges])

    def test_extremes(self):
        largest = 2**64 - 1
        edges = [(0, largest), (largest, 0), (7, 0), (largest - 1, largest)]
        path = self.write("graph.txt", "".join(f"{x} {y}\n" for x, y in edges))
        prefix = self.folder / "paths"
        self.check(self.solve(5, path, "--output", prefix), edges)
        self.assertEqual(self.output(prefix, 5), sorted(closure_of(edges)[0]))
        empty = self.solve(2, self.write("empty.txt", ""), "--output", prefix)
        self.assertEqual((empty["edges"], empty["paths"], empty["iterations"]), (0, 0, 0))
        self.assertEqual(self.output(prefix, 2), [])

    def test_generated_graphs_do_not_depend_on_the_ranks(self):
        for name in ("road:300", "rmat:6"):
            first, second = (self.solve(ranks, "--generate", name) for ranks in (1, 3))
            for key in ("edges", "paths", "iterations"):
                self.assertEqual(first[key], second[key], name)
        self.check(self.solve(2, "--generate", "chain:40"), [(i, i + 1) for i in range(39)])

    def test_the_table(self):
        done = run(2, "--generate", "chain:4", "--stats", "--quiet", "--algorithm", "mpi,auto")
        self.assertEqual(done.returncode, 0, done)
        for words in ("paths: 6", "iterations: 3", "largest block", "mpi us", "exchange speedup"):
            self.assertIn(words, done.stdout)
        self.assertEqual(done.stderr, "")

    def refused(self, ranks, sentence, words):
        self.assert_refused(run(ranks, *words), "rondo-closure", sentence)

    def test_bad_files(self):
        for number, (content, sentence) in enumerate(BAD_FILES):
            with self.subTest(content=content):
                path = self.write(f"bad {number}", content)
                self.refused(3 if number == 0 else 0, f"{path}{sentence}", [path])

    def test_wrong_use(self):
        for words, sentence in WRONG_USE:
            with self.subTest(words=words):
                self.refused(0, sentence, words)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_a_full_disk(self):
        prefix = self.folder / "paths"
        Path(f"{prefix}.1").symlink_to("/dev/full")
        sentence = f"{prefix}.1: No space left on device"
        self.refused(3, sentence, ["--generate", "chain:40", "--output", prefix])

    def ranks_of(self, token):
        """The processes of the program whose command line holds the token."""
        lines = calling.processes_with(token).items()
        return [pid for pid, line in lines if line.startswith(str(options.closure))]

    def until(self, condition):
        self.assertTrue(calling.wait_until(condition, SOME_SECONDS), "it takes too long")

    def test_a_killed_rank_ends_the_job(self):
        prefix = self.folder / "paths"
        command = [*options.mpirun, "-n", "3", options.closure, "--generate", "chain:500",
                   "--repeat", "1000000", "--output", str(prefix)]  # fmt: skip
        with (self.folder / "said").open("w+", encoding="utf-8") as said:
            job = subprocess.Popen(command, stdout=said, stderr=said)
            try:
                # Each rank makes its file once it has its part of the graph; then it computes.
                self.until(lambda: Path(f"{prefix}.2").exists() or job.poll() is not None)
                time.sleep(0.3)
                os.kill(self.ranks_of(str(prefix))[1], signal.SIGKILL)
                self.until(lambda: job.poll() is not None)
            finally:
                for pid in self.ranks_of(str(prefix)):
                    os.kill(pid, signal.SIGKILL)
                job.kill()
                job.wait()
            said.seek(0)
            self.assertNotEqual(said.read().strip(), "")
        self.assertNotEqual(job.returncode, 0)
        self.until(lambda: not self.ranks_of(str(prefix)))


if __name__ == "__main__":
    calling.main(__doc__, "closure")
