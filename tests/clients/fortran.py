"""A program in Fortran, through each of MPI's three ways into Fortran: every call is counted
exactly once."""

from functools import partial

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import rows_of
from place import SOURCE

PROGRAM = SOURCE / "tests/dropin/exchanges.F90"
ROUNDS = 3  # as in exchanges.F90
CALLS = {"alltoall": 2, "alltoallv": 2, "alltoallw": 3}  # in a round
STARTS = ("MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw")  # forwarded, one of each in a round
LEGACY = ("-std=legacy", "-w")  # buffers of several types and ranks meet the same procedure
INTERFACES = {
    # the compiler's arguments, and calls that only this interface allows
    "mpif.h": (LEGACY, {}),
    "use mpi": ((*LEGACY, "-DRONDO_USE_MPI"), {}),
    "use mpi_f08": (("-DRONDO_F08",), {"alltoall": 1}),
}
MPIS = (*OPEN_MPI_HERE, "MPICH here")  # PyPI's have no Fortran


def compiled(place, mpi, interface):
    arguments, _ = INTERFACES[interface]
    name = f"exchanges-{mpi.family}-{interface.split()[-1]}"
    return place.compiled(name, mpi.fortran, *arguments, PROGRAM)


def expect_counts(done, interface, ranks):
    """Expects that every call of the program is counted once."""
    expect(f"checked {ROUNDS} rounds" in done.stdout, "it did not come to its end", done)
    report = expect_exchanges(done, ranks, *CALLS)
    _, more = INTERFACES[interface]
    for call, in_a_round in CALLS.items():
        wanted = (in_a_round + more.get(call, 0)) * ROUNDS * ranks
        counted = report.calls(call=call, ranks=ranks)
        expect(counted == wanted, f"{counted} calls of {call}, not {wanted}", done)
    wanted = dict.fromkeys(STARTS, ROUNDS * ranks)
    expect(report.unhandled == wanted, f"not handled: {report.unhandled}, not {wanted}", done)
    return report


def _run(place, mpi_name, interface):
    mpi = FINDERS[mpi_name](place)
    done = run_ranks(place, mpi, mpi.ranks, [compiled(place, mpi, interface)])
    report = expect_counts(done, interface, mpi.ranks)
    return f"{mpi.name}, {carried_out(report, mpi.ranks)}"


def rows(place):
    return rows_of("Fortran, {1}, {0}", partial(_run, place), MPIS, INTERFACES)
