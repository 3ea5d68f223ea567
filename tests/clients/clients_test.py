#!/usr/bin/env python3
"""Tests of what check_clients.py itself decides: what counts as passed, failed or skipped."""

import contextlib
import io
import subprocess
import sys
import unittest
from pathlib import Path

import check_clients
import hpcc
import launching
import mpi4py_suite
import mpis
from launching import calling
from mpis import with_component
from outcome import FAILED, PASSED, SKIPPED, Failure, Results, Row, Skip
from workspace import Workspace, remembered

REPORT = """\
rondo: all-to-all of 3 ranks; calls, bytes and seconds are sums over the ranks
rondo: call       ranks  block      algorithm                 calls           bytes      seconds
rondo: alltoall       3  < 16       {algorithm:<20}           6             432     0.280051
"""
STARTS_FORWARDED = """\
rondo: forwarded to the MPI library: MPI_Ialltoall, 9458 calls
"""
VERSIONS = [
    ("mpirun (Open MPI) 4.1.4\n", "4.1.4"),
    ("mpirun (Open MPI) 5.0.11\n", "5.0.11"),
    ("HYDRA build details:\n    Version:                                 4.0.2\n", "4.0.2"),
    ("something else", "of an unknown version"),
]
HPCC_RIGHT = {
    "Success": "1",
    "PTRANS_residual": "0",
    "MPIFFT_maxErr": "1.1e-15",
    "MPIRandomAccess_ErrorsFraction": "0",
    "MPIRandomAccess_LCG_ErrorsFraction": "0.001",
}


def done(status=0, stdout="", stderr=""):
    return subprocess.CompletedProcess(["program"], status, stdout, stderr)


def raising(error):
    def check():
        raise error

    return check


def quietly(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        result = function(*arguments)
    return result, said.getvalue()


class Outcomes(calling.ProgramTest):
    def test_each_counts_once(self):
        results = Results()
        rows = [
            (lambda: "6 calls", PASSED, "6 calls"),
            (raising(Skip("it is not here")), SKIPPED, "it is not here"),
            (raising(Failure("wrong")), FAILED, "wrong"),
            (raising(FileNotFoundError("no launcher")), FAILED, "no launcher"),
        ]
        for check, outcome, text in rows:
            got, said = quietly(results.run, Row("a row", check))
            self.assertEqual(got, outcome)
            self.assertIn(f"{outcome}  a row: {text}", said)
        self.assertEqual(results.summary().splitlines()[-1], "1 passed, 2 failed, 1 skipped")
        self.assertEqual(results.failed, ["a row", "a row"])

    def test_status(self):
        for checks, status in (
            ([lambda: ""], 0),
            ([lambda: "", raising(Skip("no"))], 0),
            ([lambda: "", raising(Failure("no"))], 1),
            ([raising(Skip("no")), raising(Failure("no"))], 1),
            ([raising(Skip("no"))], 77),
        ):
            results = Results()
            for check in checks:
                quietly(results.run, Row("a row", check))
            self.assertEqual(results.status(), status)

    def test_a_reason_is_remembered(self):
        asked = []

        @remembered
        def fetch(name):
            asked.append(name)
            raise Skip(f"no {name}")

        for _ in range(2):
            self.assertRaisesRegex(Skip, "no mpich", fetch, "mpich")
        self.assertRaisesRegex(Skip, "no intel", fetch, "intel")
        self.assertEqual(asked, ["mpich", "intel"])

    def test_names_are_distinct(self):
        workspace = Workspace(self.folder, [])
        names = [row.name for client in check_clients.CLIENTS for row in client.rows(workspace)]
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), len(check_clients.CLIENTS))


class Skipping(calling.ProgramTest):
    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder / "clients", [self.folder / "no-build"])

    def test_without_a_build(self):
        self.assertRaisesRegex(Skip, "no-build", self.workspace.require_family, "openmpi")

    def test_without_the_family(self):
        self.workspace.exec_path().parent.mkdir(parents=True)
        self.workspace.exec_path().touch()
        self.assertRaisesRegex(Skip, "family mpich", self.workspace.require_family, "mpich")
        part = self.workspace.prefix / "lib/rondo/mpich/librondo_dropin.so"
        part.parent.mkdir(parents=True)
        part.touch()
        self.workspace.require_family("mpich")

    def test_without_the_component(self):
        self.workspace.exec_path().parent.mkdir(parents=True)
        self.workspace.exec_path().touch()
        self.assertRaisesRegex(Skip, "with a component", with_component, self.workspace)
        component = self.workspace.prefix / "lib/rondo/openmpi/4.1/mca_coll_rondo.so"
        component.parent.mkdir(parents=True)
        component.touch()
        self.workspace.require_component()

    def test_without_a_compiler(self):
        for compiler in (None, "no-such-mpicc"):
            with self.assertRaisesRegex(Skip, "no compiler wrapper"):
                self.workspace.compiled("program", compiler)

    def test_what_does_not_compile(self):
        with self.assertRaisesRegex(Skip, "program cannot be compiled"):
            self.workspace.compiled("program", "false")


class Checking(calling.ProgramTest):
    def test_report(self):
        right = done(stderr=REPORT.format(algorithm="node_aware"))
        report = launching.expect_exchanges(right, 3, "alltoall")
        self.assertEqual(launching.carried_out(report, 3), "3 ranks: 6 alltoall calls")
        starting = done(stderr=REPORT.format(algorithm="node_aware") + STARTS_FORWARDED)
        own = done(stderr=REPORT.format(algorithm=launching.OWN))
        launching.expect_exchanges(own, 3, "alltoall", algorithm=launching.OWN)
        forwarded = done(stderr=REPORT.format(algorithm=launching.LIBRARY))
        for wrong, ranks, call, said in (
            (own, 3, "alltoall", "no alltoall"),
            (done(1, stderr=right.stderr), 3, "alltoall", "did not end well"),
            (done(), 3, "alltoall", "0 reports"),
            (right, 3, "alltoallv", "no alltoallv"),
            (right, 4, "alltoall", "no alltoall"),
            (forwarded, 3, "alltoall", "left to the MPI library"),
            (starting, 3, "ialltoall", "no ialltoall; forwarded: 9458 MPI_Ialltoall"),
        ):
            with self.assertRaisesRegex(Failure, said):
                launching.expect_exchanges(wrong, ranks, call)

    def test_what_hangs_is_ended(self):
        environment = launching.clean_environment()
        sleeping = "import time; print('began', flush=True); time.sleep(60)"
        ended = launching.finish([sys.executable, "-c", sleeping], 1, Path.cwd(), environment)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("still ran after 1 s", ended.stderr)

    def test_mpi4py(self):
        passed = "Ran 8 tests in 1.8s\n\nOK (skipped=2)\n"
        self.assertEqual(mpi4py_suite.expect_passed(done(stderr=2 * passed), 2), 8)
        mixed = 2 * "Ran 8 tests in 1.8s" + "\n\nOOKK (skipped=2)\n (skipped=2)\n"
        self.assertEqual(mpi4py_suite.expect_passed(done(stderr=mixed), 2), 8)
        for stderr in (
            passed,
            passed + passed.replace("OK", "FAILED"),
            passed + passed.replace("8", "7"),
            2 * passed.replace("8", "0"),
        ):
            with self.assertRaises(Failure):
                mpi4py_suite.expect_passed(done(stderr=stderr), 2)
        with self.assertRaises(Failure):
            mpi4py_suite.expect_passed(done(1, stderr=mixed), 2)

    def test_hpcc(self):
        self.assertRaises(Failure, hpcc.expect_right, done(), self.folder)

        def look(**changed):
            values = {**HPCC_RIGHT, **changed}
            self.write("hpccoutf.txt", "".join(f"{one}={value}\n" for one, value in values.items()))
            hpcc.expect_right(done(), self.folder)

        look()
        for changed in ({"Success": "0"}, {"MPIFFT_maxErr": "-1"}, {"MPIFFT_maxErr": "nan"}):
            self.assertRaises(Failure, look, **changed)
        self.assertRaises(Failure, look, note="FAILED")

    def test_algorithms(self):
        names = mpi4py_suite.algorithms("alltoallv")
        self.assertIn("two_phase_bruck", names)
        self.assertNotIn("basic_bruck", names)
        self.assertEqual([names[0], names[-1]], ["mpi", "auto"])

    def test_versions(self):
        for said, number in VERSIONS:
            self.assertEqual(mpis.number_in(said), number)


if __name__ == "__main__":
    unittest.main()
