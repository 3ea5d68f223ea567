"""PETSc as Debian has it, with a direct solver, SuperLU_DIST."""

import shlex
from functools import partial

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import Skip, rows_of
from workspace import SOURCE, families_of, succeed

PROGRAM = SOURCE / "tests/clients/petsc_solve.c"
RANKS = 4
CALLS = ("alltoall", "alltoallv")  # of SuperLU_DIST, which distributes the matrix by them


def compiled(workspace, mpi):
    """The program, if the PETSc of this machine is for this MPI."""
    reason = "there is no PETSc (Debian: libpetsc-real-dev)"
    flags = shlex.split(succeed("pkg-config", "--cflags", "--libs", "PETSc", reason=reason))
    program = workspace.compiled("petsc_solve", mpi.cc, PROGRAM, *flags)
    if families_of(program) != [mpi.family]:
        raise Skip("the PETSc that is here is for another MPI")
    return program


def _run(workspace, mpi_name):
    mpi = FINDERS[mpi_name](workspace)
    done = run_ranks(workspace, mpi, RANKS, [compiled(workspace, mpi)])
    expect(done.stdout.strip().endswith(": right"), "it does not say that it is right", done)
    report = expect_exchanges(done, RANKS, *CALLS)
    return f"{mpi.name}, {carried_out(report, RANKS)}"


def rows(workspace):
    return rows_of("PETSc with SuperLU_DIST, {}", partial(_run, workspace), OPEN_MPI_HERE)
