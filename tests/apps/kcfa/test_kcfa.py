#!/usr/bin/env python3
"""Tests of rondo-kcfa as it is called.

test_kcfa.py --kcfa build/bin/rondo-kcfa --mpirun tools/mpirun ...
"""

import json

import calling
import programs
import reference
from calling import options

WRONG_USE = [
    ([], "FILE or --generate"),
    (["a.scm", "--generate", "worst:2,1"], "--generate"),
    (["--generate", "worst:2"], "'worst:2' is neither"),
]


class Kcfa(calling.ProgramTest):
    def run_program(self, ranks, *words):
        return calling.run_ranks(ranks, options.kcfa, *words)

    def write_program(self, text):
        return self.write("program.scm", text)

    def report(self, ranks, *words):
        done = self.run_program(ranks, "--format", "json", *words)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def refused(self, sentence, *words, ranks=0):
        self.assert_refused(self.run_program(ranks, *words), "rondo-kcfa", sentence)

    def test_report_and_flow(self):
        path, flow = self.write_program(programs.CHURCH), self.folder / "flow"
        report = self.report(
            3, path, "--k", "2", "--algorithm", "mpi,auto,two_phase_bruck", "--repeat", "2",
            "--output", flow,
        )  # fmt: skip
        counts, lines = reference.analyse(programs.CHURCH, 2)
        self.assertEqual({name: report[name] for name in counts}, counts)
        self.assertEqual(flow.read_text(encoding="utf-8").splitlines(), lines)
        algorithms = [arm["algorithm"] for arm in report["arms"]]
        self.assertEqual(algorithms, ["mpi", "auto", "two_phase_bruck"])
        self.assertEqual([len(arm["runs"]) for arm in report["arms"]], [2, 2, 2])
        self.assertEqual(len(report["rounds"]), report["iterations"])
        self.assertGreater(sum(row["new_tuples"] for row in report["rounds"]), counts["points"])
        for row in report["rounds"]:
            self.assertLessEqual(row["largest_block_bytes"], row["bytes"])
            self.assertEqual(set(row["exchange_seconds"]), {"mpi", "auto", "two_phase_bruck"})

    def test_worst_doubles_with_k_and_not_below(self):
        """The environments are a 2^N + b N + c from --k K on, and b N + c below."""
        for k in (0, 1, 2, 3):
            counts = [
                reference.analyse(self.printed(f"worst:{n},2"), k)[0]["environments"]
                for n in range(3, 8)
            ]
            growth = [after - before for before, after in zip(counts, counts[1:])]
            bend = [after - before for before, after in zip(growth, growth[1:])]
            if k < 2:
                self.assertEqual(bend, [0, 0, 0], f"k = {k}")
            else:
                self.assertGreaterEqual(bend[0], 2**3)
                self.assertEqual(bend[1:], [2 * each for each in bend[:-1]], f"k = {k}")

    def printed(self, specification):
        return self.run_program(0, "--generate", specification, "--print-program").stdout

    def test_table(self):
        done = self.run_program(2, "--generate", "worst:5,1")
        self.assertEqual(done.returncode, 0, done)
        counts, _ = reference.analyse(self.printed("worst:5,1"), 1)
        self.assertGreater(counts["environments"], 2**5)
        self.assertIn(f"environments: {counts['environments']}\n", done.stdout)
        self.assertIn("exchange ms", done.stdout)

    def test_wrong_use(self):
        for words, sentence in WRONG_USE:
            with self.subTest(words=words):
                self.refused(sentence, *words)

    def test_a_spoilt_program(self):
        path = self.write_program("(lambda (x)\n (x\n")
        self.refused(f"{path}:2: this parenthesis is not closed", path, ranks=2)

    def test_no_program(self):
        path = self.folder / "absent.scm"
        self.refused(f"{path}: No such file", path)

    def test_too_many_call_sites(self):
        path = self.write_program("(lambda (x) " + "(x " * 65536 + "x" + ")" * 65537)
        self.refused(f"{path}: 65536 call sites", path, "--k", "1")

    def test_a_full_disk(self):
        words = ["--generate", "worst:1,1", "--output", "/dev/full"]
        self.refused("/dev/full: No space left", *words, ranks=2)

    def test_no_folder_for_the_flow(self):
        path = self.folder / "absent" / "flow"
        self.refused(f"{path}: the folder", "--generate", "worst:1,1", "--output", path)


if __name__ == "__main__":
    calling.main(__doc__, "kcfa")
