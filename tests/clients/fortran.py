"""A program in Fortran, through each of MPI's three ways into Fortran: every call is counted
exactly once."""

from functools import partial

from launching import FORMS, STARTED, carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import rows_of
from workspace import SOURCE

PROGRAM = SOURCE / "tests/dropin/exchanges.F90"
ROUNDS = 3  # as in exchanges.F90
CALLS = {"alltoall": 2, "alltoallv": 2, "alltoallw": 3}  # in a round
STARTS = dict.fromkeys(STARTED, 1)
LEGACY = ("-std=legacy", "-w")  # buffers of several types and ranks meet the same procedure
INTERFACES = {
    # the compiler's arguments, and calls that only this interface allows
    "mpif.h": (LEGACY, {}),
    "use mpi": ((*LEGACY, "-DRONDO_USE_MPI"), {}),
    "use mpi_f08": (("-DRONDO_F08",), {"alltoall": 1}),
}
MPIS = (*OPEN_MPI_HERE, "MPICH here")  # PyPI's have no Fortran


def compiled(workspace, mpi, interface):
    arguments, _ = INTERFACES[interface]
    name = f"exchanges-{mpi.family}-{interface.split()[-1]}"
    return workspace.compiled(name, mpi.fortran, *arguments, PROGRAM)


def expect_counts(done, mpi, interface, ranks):
    """Expects that every call of the program is counted once."""
    expect(f"checked {ROUNDS} rounds" in done.stdout, "it did not come to its end", done)
    _, more = INTERFACES[interface]
    calls = {call: times + more.get(call, 0) for call, times in CALLS.items()}
    if mpi.carries_starts:
        calls |= STARTS
    report = expect_exchanges(done, ranks, *calls)
    for call, in_a_round in calls.items():
        wanted = in_a_round * ROUNDS * ranks
        counted = report.calls(call=call, ranks=ranks)
        expect(counted == wanted, f"{counted} calls of {call}, not {wanted}", done)
    left = [] if mpi.carries_starts else [f"MPI_{call.capitalize()}" for call in STARTS]
    wanted = dict.fromkeys(left, ROUNDS * ranks)
    expect(report.unhandled == wanted, f"not handled: {report.unhandled}, not {wanted}", done)
    return carried_out(report, ranks, (*FORMS, *STARTED))


def _run(workspace, mpi_name, interface):
    mpi = FINDERS[mpi_name](workspace)
    program = [compiled(workspace, mpi, interface)]
    done = run_ranks(workspace, mpi, mpi.ranks, program, RONDO_NONBLOCKING="1")
    return f"{mpi.name}, {expect_counts(done, mpi, interface, mpi.ranks)}"


def rows(workspace):
    return rows_of("Fortran, {1}, {0}", partial(_run, workspace), MPIS, INTERFACES)
