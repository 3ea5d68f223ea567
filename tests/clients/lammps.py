"""LAMMPS as Debian has it: salt, with its charges on a mesh (PPPM).

`kspace_modify collective yes` makes the transforms of the mesh call MPI_Alltoallv.
"""

import re

from workspace import installed

STEPS = {2: 6000, 8: 2000, 16: 800, 32: 60}
INPUT = """\
units metal
atom_style charge
lattice custom 5.64 a1 1 0 0 a2 0 1 0 a3 0 0 1 &
  basis 0 0 0 basis 0 0.5 0.5 basis 0.5 0 0.5 basis 0.5 0.5 0 &
  basis 0.5 0.5 0.5 basis 0.5 0 0 basis 0 0.5 0 basis 0 0 0.5
region box block 0 4 0 4 0 4
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass 1 22.99
mass 2 35.45
set type 1 charge 1
set type 2 charge -1
pair_style born/coul/long 8.0
pair_coeff 1 1 0.2637 0.317 2.340 1.0486 -0.4993
pair_coeff 1 2 0.2110 0.317 2.755 6.9906 -8.6758
pair_coeff 2 2 0.1582 0.317 3.170 72.4022 -145.4285
kspace_style pppm 1e-4
kspace_modify collective yes
velocity all create 300 4711
fix 1 all nve
timestep 0.001
thermo 25
thermo_modify format float %.10g
run {steps}
"""
# A line of numbers: the step, the temperature, three energies and the pressure.
STATE = re.compile(r"^ +\d+(?: +-?\d\S*){5} *$", re.MULTILINE)


def command(_, folder, ranks):
    program = installed("lmp", "lammps")
    (folder / "salt.in").write_text(INPUT.format(steps=STEPS[ranks]))
    return [program, "-in", "salt.in", "-log", "none"]


def results(done, _):
    """The temperatures, energies and pressures that it prints."""
    return [float(number) for state in STATE.findall(done.stdout) for number in state.split()]
