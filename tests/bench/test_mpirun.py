#!/usr/bin/env python3
"""What tools/mpirun tells each MPI library's launcher."""

import unittest
from pathlib import Path

import calling

MPIRUN = Path(__file__).resolve().parents[2] / "tools/mpirun"

OPEN_MPI_4 = "mpirun (Open MPI) 4.1.4"
OPEN_MPI_5 = "mpirun (Open MPI) 5.0.3"
MPICH = "HYDRA build details:"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.11"

# What the launcher says of itself, options, and words and variables that it must be given.
GIVEN = [
    (OPEN_MPI_4, [], ["--bind-to none", "--oversubscribe"]),
    (OPEN_MPI_4, ["--bind", "core"], ["--bind-to core:overload-allowed"]),
    (OPEN_MPI_5, [], ["--bind-to none", "--map-by :OVERSUBSCRIBE"]),
    (OPEN_MPI_5, ["--bind", "core"], ["--bind-to core:overload-allowed"]),
    (MPICH, [], ["-n 3"]),
    (MPICH, ["--bind", "core"], ["-bind-to core"]),
    (INTEL, ["--bind", "core"], ["-bind-to core"]),
    (OPEN_MPI_4, ["--single-copy", "on"], ["OMPI_MCA_btl_vader_single_copy_mechanism=cma"]),
    (OPEN_MPI_4, ["--single-copy", "off"], ["OMPI_MCA_btl_vader_single_copy_mechanism=none"]),
    (OPEN_MPI_5, ["--single-copy", "on"], ["OMPI_MCA_smsc=cma"]),
    (OPEN_MPI_5, ["--single-copy", "off"], ["OMPI_MCA_smsc=^cma,knem,xpmem"]),
    (MPICH, ["--single-copy", "on"], ["MPIR_CVAR_CH4_CMA_ENABLE=1"]),
    (MPICH, ["--single-copy", "off"], ["MPIR_CVAR_CH4_CMA_ENABLE=0"]),
]

REFUSED = [
    (OPEN_MPI_4, ["--bind", "socket"], "--bind socket is neither core nor none"),
    (OPEN_MPI_4, ["--single-copy", "maybe"], "--single-copy maybe is neither on nor off"),
    (INTEL, ["--single-copy", "off"], "--single-copy off is not known of the MPI library of"),
    (MPICH, ["-n", "two"], "-n two is not a number of ranks"),
]


class Launching(calling.ProgramTest):
    def launch(self, version, words):
        """Starts a launcher that prints its arguments and its environment."""
        text = (
            f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit\necho given "$@"\nenv\n'
        )
        launcher = self.write("launcher", text, mode=0o755)
        return calling.run(MPIRUN, "--launcher", launcher, "-n", "3", *words, "true")

    def test_what_it_is_given(self):
        for version, words, expected in GIVEN:
            with self.subTest(version=version, words=words):
                done = self.launch(version, words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for word in ["-n 3 true", *expected]:
                    self.assertIn(word, done.stdout)

    def test_the_library_does_as_it_does(self):
        for version in (OPEN_MPI_4, OPEN_MPI_5, MPICH, INTEL):
            done = self.launch(version, [])
            for name in ("single_copy", "smsc", "CMA_ENABLE", "-bind-to core"):
                self.assertNotIn(name, done.stdout)

    def test_refusals(self):
        for version, words, reason in REFUSED:
            with self.subTest(words=words):
                done = self.launch(version, words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    unittest.main()
