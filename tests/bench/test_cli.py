#!/usr/bin/env python3
"""Tests of rondo-bench as it is called: options, exit status, what stands on which stream.

test_cli.py --bench build/bin/rondo-bench --spoiler libbench_spoiler.so
    --contender libbench_contender.so --other-mpi libbench_other_mpi.so --mpirun tools/mpirun
"""

import csv
import io
import os
import platform
import re
import select
import statistics
import subprocess
import sys
import unittest
from datetime import datetime, timezone
from pathlib import Path

import calling
from calling import json_rows, options, run_ranks

KEYS = """collective algorithm parameters ranks nodes bytes distribution iterations median_us mad_us
    min_us p95_us max_us low_us high_us bytes_per_rank rounds errors speedup seed warmup
    batch draws disturbed first_calls first_us learning_calls learned
    round_trip_before_ns round_trip_after_ns
    rondo mpi mpi_version host cores date command""".split()

OVERLAP_KEYS = """tests start_us compute_us total_us visible_us overlap_percent
    imb_overlap_percent""".split()

# Options that do not go together, and what the one sentence on stderr must say. A process without
# mpirun says it before MPI_Init. test_command_lines.py tries every option by itself.
WRONG_OPTIONS = [
    ([], "ialltoall, ialltoallv or ialltoallw"),
    (["alltoallv", "--algorithm", "fused_bruck:rdx=2"], "rdx"),
    (["alltoall", "--algorithm", "fused_bruck"], "no alltoall algorithm 'fused_bruck'"),
    (["alltoall", "--distribution", "uniform"], "constant"),
    (["alltoallv", "--samples"], "--format json"),
    (["alltoallv_dynamic", "--plan"], "no plans for alltoallv_dynamic"),
    (["neighbor_alltoallv", "--distribution", "uniform"], "needs edges"),
    (["neighbor_alltoallv", "--variants"], "neighbor_alltoallv is not tuned"),
    (["neighbor_alltoall", "--distribution", "few:2:same"], "no displacements"),
    (["alltoallv", "--distribution", "normal:same"], "where none belongs"),
    (["alltoallv", "--samples", "--format", "csv"], "only --format json"),
    (["alltoallv", "--tests", "3"], "nothing to test"),
    (["ialltoall", "--distribution", "uniform"], "constant"),
    (["alltoallv", "--unprepared"], "so say one"),
    (["alltoall", "--unprepared", "--bytes", "8", "--plan"], "not from plans and starts"),
    (["ialltoall", "--learn", "5"], "not from plans and starts"),
]

# What is told once by all ranks together. The first is seen by each before MPI_Init, the last
# because there are two; of the others rank 0 alone sees one.
WRONG_TOGETHER = [
    (2, ["alltoal"], "alltoal"),
    (2, ["alltoallv", "--output", "no_such_folder/x"], "no_such_folder/x: the folder"),
    (0, ["alltoallv", "--distribution", "matrix:no_such_file"], "no_such_file: No such file"),
    (0, ["alltoallv", "--distribution", "matrix:/dev/null"], "/dev/null: not a regular file"),
    (2, ["alltoallv", "--bytes", "1024m", "--distribution", "constant"], "displacements"),
    (2, ["alltoallv", "--contender", "no_such.so"], "no_such.so: cannot open"),
    (2, ["alltoallv", "--contender", "{other_mpi}"], "with the MPI library of rondo-bench"),
    (2, ["alltoall", "--contender", "{spoiler}"], "has no function contender_alltoall,"),
]

FAR_OFF_SEED = "2"  # whose first draw has a mean that is not near S
QUICK = ["--iterations", "4", "--warmup", "1", "--bytes", "0,17", "--check"]

# Each with its number of ranks; 0 is one without mpirun.
DISTRIBUTIONS = {
    "uniform": 0,
    "window:20": 0,
    "power:0.9": 0,
    "normal": 0,
    "constant": 0,
    "sparse:1": 3,
    "sparse:9": 3,
}
# Edges of a neighbourhood exchange, its collectives, each with plans or without, and the bytes that
# a rank sends. Every collective comes with plans and without.
EDGES = [
    ("market:{market}", [("alltoallv", False), ("alltoallw", True)], {16 / 3}),
    ("sparse:1", [("alltoallv", True)], {0, 17}),
    ("few:2", [("alltoall", True), ("alltoallw", False)], {0, 2 * 17}),
    ("few:2:same", [("alltoallv", False), ("alltoallw", True)], {0, 2 * 17}),
    ("stencil:5", [("alltoall", False)], {0, 2 * 17}),
    ("stencil:27:same", [("alltoallv", True)], {0, 2 * 17}),
    ("open_stencil:7", [("alltoallw", False)], {0, 4 * 17 / 3}),
]
# MPI_Neighbor_alltoallw of MPICH 4.0 moves wrong bytes where a rank has no edge to it.
WRONG_IN_MPICH = {("market:{market}", "alltoallw"), ("few:2", "alltoallw")}


def bench(ranks, *words):
    return run_ranks(ranks, options.bench, *words)


class WithoutMpirun(unittest.TestCase):
    def test_help_names_every_option(self):
        result = bench(0, "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for option in (
            "algorithm contender bytes distribution iterations warmup batch plan tests seed check"
            " samples learn unprepared one-core format output quiet list version help"
        ).split():
            self.assertIn("--" + option, result.stdout)

    def test_list_shows_the_registry(self):
        result = bench(0, "--list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for word in ["alltoallv", "two_layer_bruck", "fused_bruck", "HPDC 2022", "radix"]:
            self.assertIn(word, result.stdout)


class WrongUse(calling.ProgramTest):
    def test_is_one_sentence_and_exit_status_2(self):
        rows = [(0, *row) for row in WRONG_OPTIONS] + WRONG_TOGETHER
        for ranks, words, sentence in rows:
            with self.subTest(words=words):
                result = bench(ranks, *[word.format(**vars(options)) for word in words])
                self.assert_refused(result, "rondo-bench", sentence, rows_only=True)

    def test_matrix_errors_name_file_and_line(self):
        """Rank 0 reads it. matrix_file_test.cpp has all that can be wrong."""
        file = self.write("pattern.txt", "1 2\n3 -4\n")
        result = bench(2, "alltoallv", "--distribution", f"matrix:{file}")
        self.assert_refused(result, "rondo-bench", f"{file}:2: '-4' is negative", rows_only=True)

    def test_full_disk_is_an_error(self):
        words = [*QUICK, "--algorithm", "mpi", "--output", "/dev/full"]
        for ranks, form in [(2, "table"), (0, "json"), (0, "csv")]:
            result = bench(ranks, "alltoall", *words, "--format", form)
            self.assertEqual(result.returncode, 2)
            self.assertIn("/dev/full: No space left", result.stderr)


class Results(calling.ProgramTest):
    def check_rows(self, result, collective, ranks, keys=tuple(KEYS)):
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json_rows(result.stdout)
        self.assertTrue(rows)
        for row in rows:
            with self.subTest(row=row):
                self.assertEqual(sorted(row), sorted(keys))
                self.assertEqual((row["collective"], row["ranks"]), (collective, ranks))
                self.assertEqual(row["errors"], 0)
                self.assertEqual((row["iterations"], row["warmup"]), (4, 1))
                ordered = [row[f"{name}_us"] for name in ("min", "low", "median", "high", "max")]
                self.assertEqual(ordered, sorted(ordered))
                self.assertLessEqual(row["p95_us"], row["max_us"])
        self.check_speedups(rows)
        return rows

    def check_speedups(self, rows):
        """Each says how many times as long `mpi` takes for blocks of the same length."""
        medians = {row["bytes"]: row["median_us"] for row in rows if row["algorithm"] == "mpi"}
        for row in rows:
            median, speedup = row["median_us"], row["speedup"]
            rounding = 0.001 * (1 + median + speedup)
            self.assertAlmostEqual(median * speedup, medians[row["bytes"]], delta=rounding)

    def checked(self, ranks, collective, *words):
        result = bench(ranks, collective, *QUICK, "--format", "json", *words)
        return self.check_rows(result, collective, ranks or 1)

    def test_json_of_all_algorithms(self):
        every = ["alltoall", "alltoallv", "alltoallw", "alltoallv_dynamic", "sparse_alltoallv"]
        for ranks, collective in [(0, "alltoallv"), *((3, one) for one in every)]:
            words = ["--contender", options.contender, "--contender", f"other={options.contender}"]
            rows = self.checked(ranks, collective, *words)
            self.assertEqual({row["bytes"] for row in rows}, {0, 17})
            self.assertEqual({row["speedup"] for row in rows if row["algorithm"] == "mpi"}, {1})
            autos = [row["parameters"] for row in rows if row["algorithm"] == "auto"]
            self.assertEqual(len(autos), 2)
            names = {row["algorithm"] for row in rows}
            names_of_contenders = {options.contender.stem, "other"}
            self.assertLessEqual(
                {*names_of_contenders, *(name.split(":")[0] for name in autos)}, names
            )

    def test_distributions(self):
        """What each of them draws is tested by distribution_test.cpp."""
        for distribution, ranks in DISTRIBUTIONS.items():
            words = ["--distribution", distribution, "--algorithm", "spread_out"]
            rows = self.checked(ranks, "alltoallv", *words)
            self.assertEqual([row["algorithm"] for row in rows], ["spread_out", "mpi"] * 2)
            self.assertEqual({row["distribution"] for row in rows}, {distribution})
            draws = 1 if distribution == "constant" else 4
            self.assertEqual({row["draws"] for row in rows}, {draws})
            if distribution == "sparse:9":  # all three
                self.assertEqual({row["bytes_per_rank"] for row in rows}, {0, 3 * 17})

    def test_matrix(self):
        file = self.write("pattern.txt", "# of two ranks\n0 100\n20 8\n")
        for row in self.checked(2, "alltoallw", "--distribution", f"matrix:{file}"):
            self.assertEqual((row["bytes"], row["bytes_per_rank"]), (100, 64))

    def test_edges(self):
        market = self.write(
            "m.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 3\n",
        )
        # Each rank has one row; two of them need a number of another rank.
        origin = json_rows(bench(0, "alltoall", *QUICK, "--format", "json").stdout)[0]
        for edges, calls, sent in EDGES:
            for form, has_plan in calls:
                if origin["mpi"] == "MPICH" and (edges, form) in WRONG_IN_MPICH:
                    continue
                with self.subTest(edges=edges, form=form):
                    self.check_edges(edges.format(market=market), form, has_plan, sent)

    def check_edges(self, edges, form, has_plan, sent):
        words = ["--distribution", edges, "--format", "json", *["--plan"] * has_plan]
        words += ["--contender", options.contender]
        result = bench(3, f"neighbor_{form}", *QUICK, *words)
        rows = self.check_rows(result, f"neighbor_{form}" + "_plan" * has_plan, 3)
        names = {row["algorithm"] for row in rows}
        own = {"mpi", "spread_out", "node_aware", "auto", "by_hand"}
        self.assertEqual(names, {*own, options.contender.stem})
        found = {round(row["bytes_per_rank"], 3) for row in rows}
        self.assertEqual(found, {round(number, 3) for number in sent})

    def test_started(self):
        names = ["auto", "node_aware", "spread_out", "mpi", "other"]
        for collective, plan, tests in (
            ("ialltoall", [], 3),
            ("ialltoallv", ["--plan"], 2),
            ("ialltoallw", [], 0),
        ):
            with self.subTest(collective=collective):
                words = ["--algorithm", ",".join(names[:-1]), "--tests", str(tests), *plan]
                words += ["--contender", f"{names[-1]}={options.contender}"]
                result = bench(3, collective, *QUICK, "--format", "json", *words)
                name = collective + "_plan" * len(plan)
                rows = self.check_rows(result, name, 3, KEYS + OVERLAP_KEYS)
                self.assertEqual([row["algorithm"] for row in rows], names * 2)
                for row in rows:
                    self.check_overlap(row, tests)

    def test_started_in_a_thread(self):
        words = ["--algorithm", "node_aware", "--format", "json"]
        before = ["env", "RONDO_PROGRESS=thread"]
        result = run_ranks(2, *before, options.bench, "ialltoallv", *QUICK, *words)
        rows = self.check_rows(result, "ialltoallv", 2, KEYS + OVERLAP_KEYS)
        self.assertEqual([row["algorithm"] for row in rows], ["node_aware", "mpi"] * 2)

    def check_overlap(self, row, tests):
        self.assertEqual(row["tests"], tests)
        self.assertLessEqual(row["start_us"], row["median_us"] + 0.001)
        self.assertTrue(row["start_us"] > 0 and row["compute_us"] > 0 and row["total_us"] > 0, row)
        hidden = 1 - row["visible_us"] / row["median_us"]
        self.assertAlmostEqual(row["overlap_percent"], max(0, 100 * hidden), delta=1)
        self.assertTrue(0 <= row["imb_overlap_percent"] <= 100, row)

    def test_table_of_started(self):
        words = ["--tests", "2", "--algorithm", "spread_out"]
        result = bench(2, "ialltoallv", *QUICK, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ["start", "compute", "total", "visible", "overlap %", "\n* "]:
            self.assertIn(word, result.stdout)
        result = bench(0, "ialltoallv", *QUICK, *words, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual({row["tests"] for row in rows}, {"2"})

    def test_parameters_and_rounds(self):
        words = ["--algorithm", "fused_bruck:radix=2,mpi,auto"]
        fused, mpi, auto = self.checked(3, "alltoallv", *words)[:3]
        self.assertEqual(fused["algorithm"], "fused_bruck:radix=2")
        self.assertIn("radix=2", fused["parameters"])
        self.assertEqual(fused["rounds"], 2)
        self.assertEqual((mpi["algorithm"], mpi["parameters"], mpi["rounds"]), ("mpi", "", None))
        self.assertEqual(auto["algorithm"], "auto")

    def test_same_seed_same_exchange_and_without_check_unknown_errors(self):
        self.assertEqual(self.sent(0, "5", 1), self.sent(0, "5", 1))
        self.assertNotEqual(self.sent(0, "5", 1), self.sent(0, "6", 1))

    def test_lengths_are_drawn_anew_for_each_iteration(self):
        """One draw of four lengths is anywhere in 0..2S; the mean of 100 draws is near S."""
        once, often = (self.sent(2, FAR_OFF_SEED, iterations) / 2**20 for iterations in (1, 100))
        self.assertGreater(abs(once - 1), 0.2)
        self.assertAlmostEqual(often, 1, delta=0.12)

    def sent(self, ranks, seed, iterations):
        """The bytes of a rank, where --check is not asked for."""
        words = "alltoallv --bytes 1m --warmup 0 --algorithm mpi --format json"
        done = bench(ranks, *words.split(), "--seed", seed, "--iterations", iterations)
        (row,) = json_rows(done.stdout)
        self.assertEqual(row["errors"], None)
        return row["bytes_per_rank"]

    def test_one_wrong_byte_in_any_iteration_is_found(self):
        """And one slow rank is what a sample shows, for each call of a batch."""
        words = "alltoallv --algorithm mpi --iterations 6 --warmup 0 --batch 2 --bytes 1k --check"
        preload = f"LD_PRELOAD={options.spoiler}"
        spoilt = ["env", preload, "SPOIL_CALLS=2,6,12", "SPOIL_MILLISECONDS=10"]
        result = run_ranks(2, *spoilt, options.bench, *words.split(), "--format", "json")
        self.assertEqual(result.returncode, 1, result.stderr)
        (row,) = json_rows(result.stdout)
        self.assertEqual(row["errors"], 3)
        self.assertTrue(10_000 <= row["min_us"] < 20_000, row)
        self.assertIn("--check found 3 wrong bytes", result.stderr)

    def test_contenders_are_checked_like_others(self):
        """The first wrong byte is told, and nobody sends what another has written."""
        words = "alltoallv --algorithm mpi --iterations 4 --warmup 1 --bytes 1k --check"
        words = [*words.split(), "--distribution", "constant", "--format", "json"]
        words += ["--contender", f"wrong={options.contender}"]
        result = run_ranks(2, "env", "CONTENDER_SPOILS=1", options.bench, *words)
        self.assertEqual(result.returncode, 1, result.stderr)
        errors = {row["algorithm"]: row["errors"] for row in json_rows(result.stdout)}
        self.assertEqual(errors, {"mpi": 0, "wrong": 10})
        self.assertRegex(
            result.stderr,
            "rondo-bench: alltoallv, S = 1024: wrong, in the warm-up on rank 1: byte 0 of the "
            "block from rank 0 is 0x.. instead of 0x..\n",
        )

    def test_results_say_where_they_come_from(self):
        words = ["--algorithm", "spread_out", "--distribution", "power:0.5"]
        for form in ("json", "csv", "table"):
            start = datetime.now(timezone.utc).replace(microsecond=0)
            text = bench(0, "alltoallv", *QUICK, *words, "--format", form).stdout
            self.assertIn(platform.node(), text)
            date = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)[0]
            date = datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
            self.assertTrue(start <= date <= datetime.now(timezone.utc), text)
            self.assertRegex(text, r"rondo-bench alltoallv --iterations 4 .*--algorithm spread_out")
            self.assertRegex(text, r"mpi +[0-9]|,mpi,|\"mpi\"", "the MPI library's row")
        row = self.checked(2, "alltoallv", *words)[0]
        self.assertRegex(row["rondo"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(row["mpi_version"], r"^\d+\.")
        self.assertRegex(row["mpi"], "^[A-Z]")
        self.assertEqual(row["cores"], os.cpu_count())
        if len(os.sched_getaffinity(0)) > 1:
            self.assertGreater(row["round_trip_before_ns"], 5)
            self.assertGreater(row["round_trip_after_ns"], 5)

    def ran(self, *words):
        """What `auto` ran in each of 40 iterations, as rondo-bench tells the changes."""
        words = [*words, "--iterations", "40", "--bytes", "17", "--format", "json", "--samples"]
        result = run_ranks(
            *[2, options.bench, "alltoallv", "--algorithm", "auto", *words],
            variables={"RONDO_FORWARD_CALLS": "8", "RONDO_LEARN": "0"},
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = {row["algorithm"]: row for row in json_rows(result.stdout)}
        self.assertNotIn("ran", rows["mpi"])
        return [(at, name.partition(":")[0]) for at, name in rows["auto"]["ran"]]

    def test_auto_can_begin_where_nothing_is_set_up(self):
        prepared = self.ran()
        self.assertEqual(len(prepared), 1, prepared)
        chosen = prepared[0][1]
        self.assertNotEqual(chosen, "forwarded")
        self.assertEqual(self.ran("--unprepared"), [(0, "forwarded"), (8, chosen)])
        self.assertEqual(self.ran("--unprepared", "--learn", "6"), [(0, "forwarded"), (2, chosen)])

    def test_auto_learns_first_and_the_rows_say_how_it_began(self):
        words = ["--algorithm", "node_aware,auto", "--iterations", "10", "--bytes", "0,17"]
        result = bench(2, "alltoallv", *words, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for row in json_rows(result.stdout):
            with self.subTest(row=row["algorithm"], bytes=row["bytes"]):
                is_auto = row["algorithm"] == "auto"
                self.assertEqual(row["first_us"] is not None, row["algorithm"] != "node_aware")
                self.assertEqual(row["learning_calls"] is not None, is_auto)
                self.assertEqual(row["learned"] is not None, is_auto)
                if is_auto:
                    self.assertIn(row["first_calls"], range(1, 101))
                    self.assertGreaterEqual(row["learning_calls"], row["first_calls"])

    def test_slow_calls_of_the_library_leave_no_time_to_learn(self):
        """Two of them are a second."""
        slow = ["env", f"LD_PRELOAD={options.spoiler}", "SPOIL_MILLISECONDS=510"]
        words = ["--algorithm", "auto", "--bytes", "17", "--iterations", "2", "--warmup", "0"]
        result = run_ranks(2, *slow, options.bench, "alltoallv", *words, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        auto = next(row for row in json_rows(result.stdout) if row["algorithm"] == "auto")
        self.assertEqual(auto["learning_calls"], auto["first_calls"])
        self.assertFalse(auto["learned"])

    def test_what_other_programs_disturbed_says_so(self):
        """Four times as many of them as there are cores take most of these."""
        counted = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0]
        if not any(map(int, counted.split()[1:4])):
            self.skipTest("the system does not count what runs on its cores")
        spin = [sys.executable, "-c", "while True: pass"]
        others = [subprocess.Popen(spin) for _ in range(4 * os.cpu_count())]
        words = ["--algorithm", "node_aware", "--bytes", "4m", "--iterations", "160"]
        try:
            result = bench(2, "alltoallv", *words)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\nDisturbed: other programs took \d+ % of the cores\.")
        self.assertNotRegex(result.stdout, r"\n\* ")

    def test_ranks_move_onto_one_core_and_back(self):
        self.checked(2, "alltoallv", "--one-core", "1:3")

    def test_samples_are_those_of_the_summary(self):
        words = [*QUICK, "--algorithm", "mpi,spread_out", "--format", "json", "--samples"]
        result = bench(2, "alltoallv", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json_rows(result.stdout)
        self.assertEqual(len(rows), 4)
        for row in rows:
            samples = row["samples_us"]
            self.assertEqual(len(samples), 4)
            self.assertEqual((min(samples), max(samples)), (row["min_us"], row["max_us"]))
            self.assertAlmostEqual(statistics.median(samples), row["median_us"], delta=0.002)

    def test_csv_to_a_file(self):
        file = self.folder / "results.csv"
        words = [*QUICK, "--algorithm", "mpi,spread_out", "--format", "csv", "--output", file]
        result = bench(2, "alltoall", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("median_us", result.stdout)
        rows = list(csv.DictReader(io.StringIO(file.read_text())))
        self.assertEqual([row["algorithm"] for row in rows], ["mpi", "spread_out"] * 2)
        self.assertEqual(sorted(rows[0]), sorted(KEYS))

    def test_plans(self):
        for collective in ("alltoall", "alltoallv", "alltoallw"):
            with self.subTest(collective):
                result = bench(
                    3,
                    collective,
                    *QUICK,
                    "--plan",
                    "--algorithm",
                    "mpi,auto,spread_out",
                    "--format",
                    "json",
                )
                rows = json_rows(result.stdout)
                self.assertEqual({row["collective"] for row in rows}, {collective + "_plan"})
                self.assertEqual({row["errors"] for row in rows}, {0})
                self.assertEqual({row["draws"] for row in rows}, {1})
                running = {row["algorithm"]: row["parameters"] for row in rows}
                self.assertEqual(running["mpi"], "")
                self.assertRegex(running["auto"], "^[a-z_]+(:|$)")

    def test_table_of_batches(self):
        result = bench(2, "alltoallv", *QUICK, "--batch", "3", "--algorithm", "mpi,spread_out")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ["4 samples of 3 calls", "S = 17 bytes", "median us", "speedup", "\n* "]:
            self.assertIn(word, result.stdout)


class Progress(unittest.TestCase):
    """Where it goes into pipes."""

    def start(self, *command):
        words = [*command, "alltoallv", "--iterations", "1000000", "--bytes", "16"]
        running = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(running.communicate)
        self.addCleanup(running.terminate)
        return running

    def test_is_seen_unless_quiet(self):
        """The quiet one has been running for longer when the other is heard."""
        quiet = self.start(options.bench, "--quiet")
        loud = self.start(*options.mpirun, "-n", "1", options.bench)
        self.assertTrue(select.select([loud.stderr], [], [], 60)[0], "nothing is said")
        self.assertRegex(
            loud.stderr.readline(),
            r"^ *\d+% alltoallv, S = 16: .*, (warm-up|iteration \d+ of 1000000)\n$",
        )
        self.assertEqual(select.select([quiet.stderr], [], [], 0)[0], [])
        self.assertIsNone(quiet.poll())


if __name__ == "__main__":
    calling.main(__doc__, "bench", "spoiler", "contender", "other-mpi")
