"""GROMACS as Debian has it: water, with its charges on a mesh (PME). Ranks of their own (`-npme`)
transform the mesh and call MPI_Alltoall.

Of two ranks both have a part of the mesh, since one rank alone exchanges nothing.
"""

import re

from launching import calling
from workspace import installed, succeed

STEPS = {2: 2000, 8: 1400, 16: 800, 32: 150}
RANKS_OF_THE_MESH = {2: 0, 8: 2, 16: 4, 32: 8}
BOXES = 2  # in every direction, of 216 molecules each
TOPOLOGY = """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
SOL {molecules}
"""
PARAMETERS = """\
integrator = md
dt = 0.002
nsteps = {steps}
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
fourierspacing = 0.12
constraints = h-bonds
nstcalcenergy = 25
nstenergy = 25
nstlog = 25
gen-vel = yes
gen-seed = 4711
ld-seed = 4711
"""
# So that two runs on equally many ranks have the same result.
OPTIONS = "-ntomp 1 -pin off -reprod -notunepme -dlb no -nobackup".split()
ENERGIES = re.compile(r"Energies \(kJ/mol\)\n((?:[^\n]*\S[^\n]*\n)+)")
NUMBER = re.compile(r"-?\d\.\d+e[+-]\d+")


def command(_, folder, ranks):
    program = installed("gmx_mpi", "gromacs")
    (folder / "water.top").write_text(TOPOLOGY.format(molecules=216 * BOXES**3))
    (folder / "water.mdp").write_text(PARAMETERS.format(steps=STEPS[ranks]))
    boxes = [str(BOXES)] * 3
    _gmx(program, folder, "genconf", "-f", _water(program), "-nbox", *boxes, "-o", "water.gro")
    inputs = ["-f", "water.mdp", "-p", "water.top", "-c", "water.gro"]
    _gmx(program, folder, "grompp", *inputs, "-o", "water.tpr")
    mesh = str(RANKS_OF_THE_MESH[ranks])
    return [program, "mdrun", "-s", "water.tpr", "-deffnm", "out", "-npme", mesh, *OPTIONS]


def _gmx(program, folder, *words):
    succeed(program, *words, cwd=folder, reason=f"gmx_mpi {words[0]} does not work")


def _water(program):
    """Writes the input: 216 molecules that GROMACS ships."""
    said = calling.run(program, "-version")
    prefix = re.search(r"^Data prefix: +(\S+)", said.stdout + said.stderr, re.MULTILINE)
    return f"{prefix[1] if prefix else '/usr'}/share/gromacs/top/spc216.gro"


def results(_, folder):
    """The energies in the log, in kJ/mol."""
    blocks = ENERGIES.findall((folder / "out.log").read_text())
    return [float(number) for block in blocks for number in NUMBER.findall(block)]
