"""CP2K as Debian has it: a water molecule that moves, by density functional theory.

Its Fourier transforms call MPI_Alltoallv on communicators of all ranks and of parts of them. Many
of these communicators live for a few calls only.
"""

import re

from workspace import installed

# Each step solves the electronic structure anew.
STEPS = {2: 40, 8: 8, 16: 1, 32: 1}
INPUT = """\
&GLOBAL
  PROJECT water
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&MOTION
  &MD
    STEPS {steps}
    TIMESTEP 0.5
  &END MD
&END MOTION
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_SET
    POTENTIAL_FILE_NAME POTENTIAL
    &MGRID
      CUTOFF 120
    &END MGRID
    &SCF
      SCF_GUESS ATOMIC
      EPS_SCF 1e-5
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 5 5 5
    &END CELL
    &COORD
      O  0.000 0.000 0.000
      H  0.757 0.586 0.000
      H -0.757 0.586 0.000
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
"""
ENERGY = re.compile(r"^ ENERGY\| .*:\s+(-?\d+\.\d+)$", re.MULTILINE)


def command(_, folder, ranks):
    return command_of(folder, STEPS[ranks])


def command_of(folder, steps):
    """Writes the input into the folder; the command that is run there."""
    program = installed("cp2k", "cp2k")
    (folder / "water.inp").write_text(INPUT.format(steps=steps))
    return [program, "-i", "water.inp", "-o", "water.out"]


def results(_, folder):
    """The energies of all steps, in Hartree."""
    return [float(energy) for energy in ENERGY.findall((folder / "water.out").read_text())]
