#!/usr/bin/env python3
"""rondo-bench-gpu as it is called, over the stand-ins for CUDA and NCCL."""

import csv
import io

import calling
from calling import options

SMALL = "--threads 2 --min-bytes 64 --max-bytes 64"


def csv_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def run(words, *more, **variables):
    return calling.run(options.bench, *words.split(), *more, variables=variables)


class Bench(calling.ProgramTest):
    def table(self, words):
        """The columns of every row."""
        done = run(words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]

    def checked(self, words):
        return self.table(f"--check {words}")

    def test_sizes_and_bandwidths(self):
        sizes = "--min-bytes 64 --max-bytes 1K --step-factor 4"
        rows = self.checked(f"--threads 4 {sizes} --iterations 3 --algorithm direct")
        self.assertEqual([row[0] for row in rows], ["64", "256", "1024"])
        self.assertEqual([row[1] for row in rows], ["16", "64", "256"])
        self.assertEqual({row[-1] for row in rows}, {"direct"})
        for size, _, kind, time, algbw, busbw, _, wrong, _ in rows:
            self.assertEqual((kind, wrong), ("uint8", "0"))
            self.assertAlmostEqual(float(algbw), int(size) / float(time) / 1e3, delta=0.01)
            self.assertAlmostEqual(float(busbw), float(algbw) * 3 / 4, delta=0.01)

    def test_every_algorithm_is_right(self):
        names = "nccl_grouped,nccl_native,nccl_basic_bruck,nccl_modified_bruck,nccl_bruck:radix=3,"
        names += "direct,graph:nccl_bruck"
        for ranks in ("1", "3", "8"):
            sizes = "--min-bytes 4K --max-bytes 4K --iterations 2"
            rows = self.checked(f"--threads {ranks} {sizes} --algorithm {names}")
            self.assertEqual([row[7] for row in rows], ["0"] * 7)

    def test_distributions(self):
        for distribution in ("uniform", "power:0.9", "normal", "sparse:1"):
            rows = self.checked(
                "--threads 5 --min-bytes 10K --max-bytes 10K --iterations 2 "
                f"--algorithm nccl_grouped,direct --distribution {distribution}"
            )
            self.assertEqual([row[7] for row in rows], ["0", "0"])
            self.assertLessEqual(int(rows[0][0]), 10 << 10)

    def test_graphs(self):
        rows = self.table(f"{SMALL} --iterations 4 --graph-launches 3 --algorithm direct")
        self.assertEqual(len(rows), 1)

    def test_graphs_that_would_hang(self):
        done = run("--threads 8 --graph-launches 1 --iterations 1001 --algorithm direct")
        self.assertEqual(done.returncode, 4)
        self.assertIn("1001 calls has 1001 nodes, and 8 ranks share a GPU", done.stderr)
        self.assertIn("Take --iterations 500 or less", done.stderr)

    def test_no_check(self):
        rows = self.table(f"{SMALL} --algorithm nccl_grouped")
        self.assertEqual(rows[0][7], "N/A")

    def test_what_is_wrong_is_counted(self):
        words = f"{SMALL} --check --algorithm nccl_native --iterations 1"
        done = run(words, STAND_IN_SPOILS="1")
        self.assertEqual(done.returncode, 1, done.stdout)
        row = [line for line in done.stdout.splitlines() if not line.startswith("#")][0].split()
        self.assertEqual(row[7], "1")

    def test_rows_for_programs(self):
        words = "--check --threads 2 --min-bytes 64 --max-bytes 128 --algorithm direct"
        for form, read in (("json", calling.json_rows), ("csv", csv_rows)):
            file = self.folder / f"results.{form}"
            done = run(f"{words} --format {form} --output", file)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            rows = read(file.read_text())
            self.assertEqual([int(row["size"]) for row in rows], [64, 128])
            for row in rows:
                shared = [int(row[name]) for name in ("ranks", "ranks_sharing_a_gpu", "wrong")]
                self.assertEqual(shared, [2, 2, 0])

    def test_sharing_is_said(self):
        done = run("--threads 3 --min-bytes 64 --max-bytes 64 --algorithm direct")
        self.assertIn("3 ranks share a GPU: the times say nothing of the links", done.stdout)

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        for name in ("nccl_grouped", "nccl_bruck", "direct", "mpi_staged", "inner"):
            self.assertIn(name, done.stdout)

    def test_wrong_use(self):
        rows = [
            ("--min-bytes 2K --max-bytes 1K", "--min-bytes 2048 is more than --max-bytes 1024"),
            ("--processes 2", "--id-file"),
            ("--process 2 --processes 2 --id-file x", "count from 0"),
        ]
        for words, sentence in rows:
            done = run(words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(sentence, done.stderr)
        done = run("--algorithm mpi_staged --min-bytes 64 --max-bytes 64")
        self.assertEqual(done.returncode, 4)
        self.assertIn("host", done.stderr)

    def test_a_file_that_is_there(self):
        done = run("--id-file", self.write("id", ""))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is there already", done.stderr)


if __name__ == "__main__":
    calling.main(__doc__, "bench", has_ranks=False)
