"""PETSc as Debian has it: a Fourier transform by FFTW's MPI part, and a direct solver, SuperLU_DIST."""

import shlex
from functools import partial

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import system
from outcome import Skip, rows_of
from place import SOURCE, families_of, succeed

PROGRAM = SOURCE / "tests/clients/petsc_programs.c"
RANKS = 4
# What the program is asked to do, and the collective that PETSc or the library below it calls then.
PARTS = {"transform": "alltoall", "solve": "alltoallv"}


def compiled(place, mpi):
    """The program, if the PETSc of this machine is for this MPI."""
    reason = "there is no PETSc (Debian: libpetsc-real-dev)"
    flags = shlex.split(succeed("pkg-config", "--cflags", "--libs", "PETSc", reason=reason))
    program = place.compiled("petsc_programs", mpi.cc, PROGRAM, *flags)
    if families_of(program) != [mpi.family]:
        raise Skip("the PETSc that is here is for another MPI")
    return program


def _run(place, part):
    mpi = system(place, "openmpi")
    done = run_ranks(place, mpi, RANKS, [compiled(place, mpi), part])
    expect(done.stdout.strip().endswith(": right"), "it does not say that it is right", done)
    report = expect_exchanges(done, RANKS, PARTS[part])
    return f"{mpi.name}, {carried_out(report, RANKS)}"


def rows(place):
    return rows_of("PETSc, {0}", partial(_run, place), PARTS)
