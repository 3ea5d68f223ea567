#!/usr/bin/env python3
"""Tests of tools/cluster run, with a small MPI program.

$MPICC and $MPIRUN name Open MPI's if it is not on PATH.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import support
from calling import SKIPPED, run
from support import cluster, start, succeed, temporary

SOURCE = Path(__file__).resolve().parent / "nodes.c"
ROWS = [
    # options, the node of every rank
    (["--ranks-per-node", "2"], [0, 0, 1, 1, 2, 2]),
    (["--ranks-per-node", "2", "--placement", "round-robin"], [0, 1, 2, 0, 1, 2]),
    (["--ranks-per-node", "3,1,2"], [0, 0, 0, 1, 2, 2]),
    (["--ranks-per-node", "3,1,2", "--placement", "round-robin"], [0, 1, 2, 0, 2, 0]),
    (["--ranks-per-node", "2", "--nodes", "2"], [0, 0, 1, 1]),
    (["--ranks-per-node", "3", "--nodes", "1"], [0, 0, 0]),
]
BAD_USAGE = [
    (["--ranks-per-node", "1", "--nodes", "4"], "true", "--nodes 4"),
    (["--ranks-per-node", "1,2"], "true", "names 2 nodes"),
    (["--ranks-per-node", "0"], "true", "is not a number of ranks"),
    (["--ranks-per-node", "1", "--placement", "up"], "true", "--placement up"),
    (["--ranks-per-node", "1", "--env", "RONDO_NOT_SET"], "true", "is not set"),
    (["--ranks-per-node", "1", "--mpirun", "/bin/true"], "true", "not Open MPI's"),
    (["--ranks-per-node", "1"], "no-such-program", "no such program: no-such-program"),
]


def find_open_mpi():
    """Compiler wrapper and launcher of Open MPI, or a reason to skip."""
    for wrapper, launcher in (
        (os.environ.get("MPICC"), os.environ.get("MPIRUN")),
        ("mpicc.openmpi", "mpirun.openmpi"),
        ("mpicc", "mpirun"),
    ):
        if wrapper and launcher and shutil.which(wrapper) and shutil.which(launcher):
            said = run(launcher, "--version").stdout
            if "(Open MPI)" in said or "(OpenRTE)" in said:
                return wrapper, launcher
    print("skipped: no Open MPI with a compiler wrapper is here")
    sys.exit(SKIPPED)


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        wrapper, cls.launcher = find_open_mpi()
        # In /tmp, because the nodes do not share it.
        cls.folder = tempfile.TemporaryDirectory(prefix="rondo-cluster-", dir="/tmp")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = str(Path(cls.folder.name) / f"nodes{os.getpid()}")
        subprocess.run([wrapper, SOURCE, "-o", cls.program], check=True)
        context = temporary(3)
        cls.name = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def words(self, *options):
        mpirun = [] if "--mpirun" in options else ["--mpirun", self.launcher]
        return ["run", "--name", self.name, *mpirun, *options]

    def tearDown(self):
        self.assertEqual(list((support.FOLDER / self.name).glob("run-*")), [])

    def test_placement(self):
        for options, nodes in ROWS:
            with self.subTest(options=options):
                lines = succeed(*self.words(*options), "--", self.program).splitlines()
                ranks_of = Counter(nodes)
                expected = [
                    f"rank {rank} node{node} {ranks_of[node]} right"
                    for rank, node in enumerate(nodes)
                ]
                self.assertEqual(sorted(lines), expected)

    def test_working_folder_and_relative_program(self):
        program = "./" + Path(self.program).name
        words = self.words("--ranks-per-node", "1")
        lines = succeed(*words, "--", program, cwd=self.folder.name).splitlines()
        self.assertEqual(len(lines), 3)
        folders = succeed(*words, "--", "pwd", cwd=self.folder.name).splitlines()
        self.assertEqual(folders, [self.folder.name] * 3)

    def test_environment(self):
        caller = {**os.environ, "RONDO_SECRET": "1", "RONDO_GIVEN": "a b;c"}
        options = ["--ranks-per-node", "1", "--env", "RONDO_GIVEN", "--env", "RONDO_SET=2"]
        options += ["--mca", "mpi_show_handle_leaks", "1"]
        lines = succeed(*self.words(*options), "--", "/usr/bin/env", env=caller).splitlines()
        self.assertEqual([line for line in lines if line.startswith("RONDO_SECRET")], [])
        for line in ("RONDO_GIVEN=a b;c", "RONDO_SET=2", "OMPI_MCA_mpi_show_handle_leaks=1"):
            self.assertEqual(lines.count(line), 3, line)

    def test_exit_codes(self):
        for code in (0, 7):
            result = cluster(*self.words("--ranks-per-node", "1"), "--", self.program, "exit", code)
            self.assertEqual(result.returncode, code)
        abort = cluster(*self.words("--ranks-per-node", "1"), "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(abort.returncode, 128 + signal.SIGSEGV)

    def test_bad_usage(self):
        for options, program, said in BAD_USAGE:
            with self.subTest(options=options):
                result = cluster(*self.words(*options), "--", program)
                self.assertEqual(result.returncode, 2)
                self.assertIn(said, result.stderr)

    def start_sleepers(self):
        """A run whose 6 ranks sleep."""
        words = self.words("--ranks-per-node", "2")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        run = start(*words, "--", self.program, "sleep", **pipes)
        self.addCleanup(run.stdout.close)
        for _ in range(6):
            self.assertRegex(run.stdout.readline(), "^rank .* right$")
        return run

    def nothing_runs(self):
        marks = (self.program, f"/{self.name}/run-", f"\0agent\0{self.name}")
        return not any(map(support.processes_with, marks))

    def test_run_ended_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(signal=number):
                run = self.start_sleepers()
                run.send_signal(number)
                run.wait(timeout=60)
                self.assertNotEqual(run.returncode, 0)
                self.assertTrue(support.wait_until(self.nothing_runs, 10))
                # The next run works and removes what was left.
                lines = succeed(*self.words("--ranks-per-node", "1"), "--", self.program)
                self.assertEqual(lines.count(" right"), 3)

    def test_killed_rank(self):
        run = self.start_sleepers()
        ranks = [
            pid for pid in support.processes_with(f"{self.program}\0sleep\0") if self.is_rank(pid)
        ]
        self.assertEqual(len(ranks), 6)
        os.kill(ranks[-1], signal.SIGKILL)
        self.assertEqual(run.wait(timeout=60), 128 + signal.SIGKILL)
        self.assertTrue(support.wait_until(self.nothing_runs, 10))

    def is_rank(self, pid):
        return str(Path(f"/proc/{pid}/exe").readlink()) == self.program

    def test_two_runs_at_once(self):
        first = self.start_sleepers()
        lines = succeed(*self.words("--ranks-per-node", "2"), "--", self.program)
        self.assertEqual(lines.count(" right"), 6)
        self.assertIsNone(first.poll())
        first.kill()
        first.wait()
        self.assertTrue(support.wait_until(self.nothing_runs, 10))
        succeed(*self.words("--ranks-per-node", "1"), "--", self.program)


if __name__ == "__main__":
    support.main()
