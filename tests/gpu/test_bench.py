#!/usr/bin/env python3
"""rondo-bench-gpu as it is called, over the stand-ins for CUDA and NCCL."""

import json

import calling
from calling import options


def run(*arguments, **variables):
    return calling.run(options.bench, *arguments, variables=variables)


class Bench(calling.ProgramTest):
    def table(self, *arguments):
        """The columns of every row."""
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]

    def test_sizes_and_bandwidths(self):
        rows = self.table("-t", "4", "-b", "64", "-e", "1K", "-f", "4", "-n", "3", "-a", "direct")
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
            rows = self.table("-t", ranks, "-b", "4K", "-e", "4K", "-n", "2", "-a", names)
            self.assertEqual([row[7] for row in rows], ["0"] * 7)

    def test_distributions(self):
        for distribution in ("uniform", "power:0.9", "normal", "sparse:1"):
            rows = self.table(
                *["-t", "5", "-b", "10K", "-e", "10K", "-n", "2", "-a", "nccl_grouped,direct"],
                *["--distribution", distribution],
            )
            self.assertEqual([row[7] for row in rows], ["0", "0"])
            self.assertLessEqual(int(rows[0][0]), 10 << 10)

    def test_graphs(self):
        rows = self.table("-t", "2", "-b", "64", "-e", "64", "-n", "4", "-G", "3", "-a", "direct")
        self.assertEqual(len(rows), 1)

    def test_no_check(self):
        rows = self.table("-t", "2", "-b", "64", "-e", "64", "-c", "0", "-a", "nccl_grouped")
        self.assertEqual(rows[0][7], "N/A")

    def test_what_is_wrong_is_counted(self):
        arguments = ["-t", "2", "-b", "64", "-e", "64", "-a", "nccl_native", "-n", "1"]
        done = run(*arguments, STAND_IN_SPOILS="1")
        self.assertEqual(done.returncode, 1, done.stdout)
        row = [line for line in done.stdout.splitlines() if not line.startswith("#")][0].split()
        self.assertEqual(row[7], "1")

    def test_json(self):
        file = self.folder / "results.json"
        self.table("-t", "2", "-b", "64", "-e", "128", "-a", "direct", "-J", file)
        results = json.loads(file.read_text())
        self.assertEqual(results["ranks"], 2)
        self.assertEqual(results["ranks_sharing_a_gpu"], 2)
        self.assertEqual([row["size"] for row in results["results"]], [64, 128])
        self.assertEqual({row["wrong"] for row in results["results"]}, {0})

    def test_sharing_is_said(self):
        done = run("-t", "3", "-b", "64", "-e", "64", "-a", "direct")
        self.assertIn("3 ranks share a GPU: the times say nothing of the links", done.stdout)

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        for name in ("nccl_grouped", "nccl_bruck", "direct", "mpi_staged", "inner"):
            self.assertIn(name, done.stdout)

    def test_wrong_use(self):
        rows = [
            (["-b", "2K", "-e", "1K"], "-b 2048 is more than -e 1024"),
            (["--processes", "2"], "--id-file"),
            (["--process", "2", "--processes", "2", "--id-file", "x"], "count from 0"),
        ]
        for arguments, words in rows:
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        done = run("-a", "mpi_staged", "-b", "64", "-e", "64")
        self.assertEqual(done.returncode, 1)
        self.assertIn("host", done.stderr)

    def test_a_file_that_is_there(self):
        done = run("--id-file", self.write("id", ""))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is there already", done.stderr)


if __name__ == "__main__":
    calling.main(__doc__, "bench", has_ranks=False)
