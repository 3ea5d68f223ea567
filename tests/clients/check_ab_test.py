#!/usr/bin/env python3
"""Tests of what check_ab.py decides: what --ab said, which results are the same, the table."""

import subprocess
import unittest

import ab_report
import ab_table
import check_ab
import cp2k
import gap_junctions
import gromacs
import lammps
from ab_programs import Program
from launching import calling
from outcome import Failure
from whole_runs import LIBRARY, RONDO, Cell
from workspace import Workspace

AB = """\
rondo: all-to-all of 4 ranks; calls, bytes and seconds are sums over the ranks
rondo: call       ranks  block      algorithm                 calls           bytes      seconds
rondo: alltoall       4  < 16       mpi                         400             432     0.280051
rondo: alltoallv      2  < 16       node_aware               100             432     0.280051
rondo: alltoallv      1  < 16       spread_out                   50             432     0.280051
rondo: {line}
"""
NO_DIFFERENCE = "no significant difference"
FIGURES = [
    (
        "speedup of the program: 1.212, 95 % interval 1.006 .. 1.534, 276 pairs of turns",
        "1.212",
        [1.006, 1.534],
    ),
    (
        f"speedup of the program: {NO_DIFFERENCE}, 95 % interval 0.976 .. 1.034, 27 pairs of turns",
        NO_DIFFERENCE,
        [0.976, 1.034],
    ),
    (
        f"speedup of the program: {NO_DIFFERENCE}, too few turns",
        f"{NO_DIFFERENCE}, too few turns",
        None,
    ),
    ("nothing was compared: a comparison needs 16 calls", "nothing was compared", None),
]
TWICE = [{LIBRARY: 2.4, RONDO: 1.2}] * 7
CP2K = " ENERGY| Total FORCE_EVAL ( QS ) energy [a.u.]:              -17.164447974011019\n"
LAMMPS = """\
Step Temp E_pair E_mol TotEng Press
       0          300   -2061.4116            0    -2041.596   -513.26117
Loop time of 0.2 on 2 procs for 100 steps with 512 atoms
"""
GROMACS = """\
   Energies (kJ/mol)
        LJ (SR)   Coulomb (SR)
    1.57358e+04   -9.59938e+04

   Total Virial (kJ/mol)
    4.68606e+03   -6.10678e+02    3.78097e+02
"""


def done(status=0, stdout="", stderr=""):
    return subprocess.CompletedProcess(["program"], status, stdout, stderr)


class Reading(calling.ProgramTest):
    def test_what_ab_says(self):
        for line, figure, interval in FIGURES:
            said = ab_report.read(AB.format(line=line))
            self.assertEqual(said, {"exchanges": 150, "figure": figure, "interval": interval})

    def test_what_a_run_spent_outside_exchanges(self):
        line = "rank 3 took 18.376 s until MPI_Finalize, 13.153 s of it (72 %) in exchanges"
        self.assertAlmostEqual(ab_report.outside_seconds(AB.format(line=line)), 5.223)
        self.assertIsNone(ab_report.outside_seconds(AB.format(line=ab_report.NOTHING)))

    def test_results_of_programs(self):
        for program, file, said, results in (
            (cp2k, "water.out", CP2K, [-17.164447974011019]),
            (gromacs, "out.log", GROMACS, [1.57358e4, -9.59938e4]),
            (gap_junctions, None, "voltage 4285.270530003\n", [4285.270530003]),
            (lammps, None, LAMMPS, [0, 300, -2061.4116, 0, -2041.596, -513.26117]),
        ):
            for text, expected in ((said, results), ("nothing", [])):
                if file:
                    self.write(file, text)
                self.assertEqual(program.results(done(stdout=text), self.folder), expected)


class Running(calling.ProgramTest):
    def cell(self, *finished, seconds=60):
        """A cell whose runs end like these, one after another."""
        inputs = self.write(f"{len(finished)}/input/size", "").parent
        self.commands = []

        def run(_, command, folder, seconds):
            self.assertTrue((folder / "size").exists())
            (folder / "written").touch(exist_ok=False)  # no run sees what another has left
            self.commands.append(command)
            return next(outcomes)

        outcomes = iter(finished)
        program = Program(
            "numbers", None, lambda finished, _: list(map(float, finished.stdout.split()))
        )
        workspace = Workspace(self.folder / "clients", [])
        return Cell(workspace, program, run, inputs, ["program"], seconds)

    def test_who_goes_first_alternates(self):
        cell = self.cell(*[done(stdout="2")] * 4)
        for number in range(2):
            self.assertEqual(set(cell.pair(number)), {LIBRARY, RONDO})
        self.assertEqual([len(command) for command in self.commands], [1, 2, 2, 1])
        self.assertEqual(self.commands[1][0].name, "rondo-exec")

    def test_results_must_be_the_same(self):
        cell = self.cell(*(done(stdout=said) for said in ("2", "2.000000001", "2.1")))
        cell.timed()
        cell.timed()
        self.assertRaisesRegex(Failure, "other results", cell.timed)

    def test_runs_must_end_well_and_in_time_with_results(self):
        self.assertRaisesRegex(Failure, "no results", self.cell(done(), done()).timed)
        self.assertRaisesRegex(Failure, "not end well", self.cell(done(1, "2")).timed)
        self.assertRaisesRegex(Failure, "hangs", self.cell(done(stdout="2"), seconds=0).timed)


class Table(calling.ProgramTest):
    def test_interval(self):
        self.assertEqual(ab_table.interval_of_median([1.5] * 7), (1.5, 1.5))
        low, high = ab_table.interval_of_median([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 9.0])
        self.assertTrue(1.0 <= low < 1.3 < high <= 9.0, (low, high))

    def test_text(self):
        def report(figure, interval):
            return {"exchanges": 9, "figure": figure, "interval": interval}

        cells = [
            {"pairs": TWICE, "ab": [report("1.9", [1.9, 2.1]), report("1.8", [1.7, 1.9])]},
            {"pairs": TWICE, "ab": [report("too few", None)]},
            {"failed": "hangs: still ran\n after"},
            {"skipped": "there is no lmp"},
        ]
        text = ab_table.text([{"program": "A", "place": "2 ranks", **cell} for cell in cells])
        self.assertEqual(
            text.splitlines()[2:],
            [
                "| A | 2 ranks | 9 | 2.000 (2.000-2.000) | 1.9 (1.900-2.100) | yes |",
                "| A | 2 ranks | 9 | 2.000 (2.000-2.000) | 1.8 (1.700-1.900) | no |",
                "| A | 2 ranks | 9 | 2.000 (2.000-2.000) | too few |  |",
                "| A | 2 ranks | | hangs: still ran | | |",
                "| A | 2 ranks | | skipped: there is no lmp | | |",
                "",
                "The interval of --ab contains the ratio of whole runs in 1 of 2; 1 without an "
                "interval.",
            ],
        )

    def test_status(self):
        ran, failed, skipped = {"pairs": []}, {"failed": ""}, {"skipped": ""}
        for cells, status in (
            ([ran], 0),
            ([ran, skipped], 0),
            ([ran, failed], 1),
            ([skipped], 77),
        ):
            self.assertEqual(check_ab.status(cells), status)

    def test_what_was_measured_is_kept(self):
        path = self.folder / "ab.json"
        check_ab.Measurements(path).add("CP2K, 2 ranks", {"failed": "once"})
        check_ab.Measurements(path).add("CP2K, 8 ranks", {"failed": "twice"})
        again = check_ab.Measurements(path)
        self.assertEqual(list(again.cells), ["CP2K, 2 ranks", "CP2K, 8 ranks"])


if __name__ == "__main__":
    unittest.main()
