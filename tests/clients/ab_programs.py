"""The programs whose whole runs are compared with the report of --ab."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import cp2k
import fftw
import gap_junctions
import gromacs
import hpcc
import lammps
from mpis import system

HPCC_SIZES = {2: 1500, 8: 800, 16: 400, 32: 200}
# Results of HPCC's parts that do not depend on how long anything took.
HPCC_RESULTS = ("HPL_RnormI", "HPL_XnormI", "PTRANS_residual", "MPIFFT_maxErr")
FFTW_SIZES = (64, 64, 32)
FFTW_ITERATIONS = {2: 5000, 8: 4000, 16: 2500, 32: 200}
FFTW_ERRORS = re.compile(r"errors (\S+) and (\S+): right")


@dataclass(frozen=True)
class Program:
    name: str
    # (workspace, folder, ranks): writes the input into the folder; the command that is run there.
    command: Callable[..., list]
    # (finished process, folder): what the program calculated, as numbers.
    results: Callable[..., list[float]]


def _hpcc_command(_, folder, ranks):
    hpcc.write_input(folder, ranks, HPCC_SIZES[ranks])
    return [hpcc.program()]


def _hpcc_results(done, folder):
    hpcc.expect_right(done, folder)
    values = hpcc.values_of(done, folder)
    return [float(values[name]) for name in HPCC_RESULTS]


def _fftw_command(workspace, _, ranks):
    program = fftw.compiled(workspace, system(workspace, "openmpi"))
    return [program, *FFTW_SIZES, FFTW_ITERATIONS[ranks]]


def _fftw_results(done, _):
    errors = FFTW_ERRORS.search(done.stdout)
    return [float(error) for error in errors.groups()] if errors else []


PROGRAMS = (
    Program("CP2K", cp2k.command, cp2k.results),
    Program("LAMMPS", lammps.command, lammps.results),
    Program("GROMACS", gromacs.command, gromacs.results),
    Program("HPCC", _hpcc_command, _hpcc_results),
    Program("FFTW", _fftw_command, _fftw_results),
    Program("NEURON", gap_junctions.command, gap_junctions.results),
)
