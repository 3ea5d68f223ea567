"""Runs programs under `rondo run` and reads what Rondo reports."""

import os
import sys
from pathlib import Path

from outcome import Failure

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "support"), str(TESTS / "dropin")]
import calling  # noqa: E402
from support import LIBRARY, Report  # noqa: E402

OWN = "mpi"  # the algorithm that is the library's own call
FORMS = ("alltoall", "alltoallv", "alltoallw")
STARTED = ("ialltoall", "ialltoallv", "ialltoallw")
# auto would leave some of the exchanges to the MPI library.
WAYS = {
    "shared memory": {
        "RONDO_ALLTOALL": "node_aware",
        "RONDO_ALLTOALLV": "node_aware",
        "RONDO_ALLTOALLW": "node_aware",
        "RONDO_NEIGHBOR_ALLTOALLV": "node_aware",
    },
    "messages": {
        "RONDO_ALLTOALL": "tunable_bruck:radix=2",
        "RONDO_ALLTOALLV": "fused_bruck:radix=2",
        "RONDO_ALLTOALLW": "two_phase_bruck",
        "RONDO_NEIGHBOR_ALLTOALLV": "spread_out",
    },
}
LINES_SHOWN = 40
AS_ROOT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
# For more ranks than cores. With RONDO_FORWARD_CALLS=0 auto takes over from the first call.
VARIABLES = {**AS_ROOT, "OMPI_MCA_mpi_yield_when_idle": "1", "RONDO_FORWARD_CALLS": "0"}


def users_environment(**variables):
    """The environment of this process, without variables that would change how a client runs."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RONDO_", "MPI4PY_", "PYTHON", "OMPI_MCA_"))
        and name != "LD_PRELOAD"
    }
    return {**kept, **AS_ROOT, **variables}


def clean_environment(**variables):
    """The same, so that Rondo has every call."""
    return users_environment(**{**VARIABLES, **variables})


def finish(command, timeout, folder, environment):
    return calling.run(*command, timeout=timeout, cwd=folder, env=environment)


def primed(workspace, mpi, program):
    """A program that starts exchanges, on communicators that calls have set up. Rondo does not
    carry out what is started on others."""
    library = f"prime-{mpi.name.replace(' ', '-')}.so"
    path = workspace.compiled(library, mpi.cc, "-shared", "-fPIC", TESTS / "clients/prime.c")
    return ["env", f"LD_PRELOAD={path}", "RONDO_NONBLOCKING=1", *program]


def run_ranks(workspace, mpi, ranks, program, *, timeout=300, folder=None, **variables):
    """The finished process of a program under `rondo run --stats`."""
    workspace.require_family(mpi.family)
    rondo = workspace.python() / "bin/rondo"
    launch = [mpi.launcher, *mpi.arguments, "-n", ranks, *program]
    environment = clean_environment(**mpi.variables, **variables)
    environment["PATH"] = f"{workspace.prefix / 'bin'}:{environment['PATH']}"
    words = [rondo, "run", "--via", mpi.via, "--stats", "--", *launch]
    return finish(words, timeout, folder, environment)


def fail(what, done):
    """Raises the failure of a row, with the end of its output."""
    words = " ".join(map(str, done.args))
    lines = [*done.stdout.splitlines()[-LINES_SHOWN:], *done.stderr.splitlines()[-LINES_SHOWN:]]
    raise Failure("\n  ".join([what, f"status {done.returncode} of {words}", *lines]))


def expect(condition, what, done):
    if not condition:
        fail(what, done)


def by_rondo(report, **wanted):
    """How many of these calls Rondo carried out itself."""
    left = sum(report.calls(**wanted, algorithm=one) for one in (LIBRARY, OWN))
    return report.calls(**wanted) - left


def _forwarded(report):
    """What ends a line on exchanges if Rondo forwarded some without a look at them."""
    counts = ", ".join(f"{count} {name}" for name, count in report.unhandled.items())
    return f"; forwarded: {counts}" if counts else ""


def expect_exchanges(done, ranks, *collectives, algorithm=None):
    """The report, if the program ended well and Rondo carried out exchanges of each collective.

    They are by `algorithm`, or by any but the MPI library's own. No call is left to the library
    before Rondo has seen it.
    """
    expect(done.returncode == 0, "it did not end well", done)
    report = Report(done.stderr)
    expect(report.reports == 1, f"there are {report.reports} reports", done)
    left = report.calls(algorithm=LIBRARY)
    expect(left == 0, f"{left} calls were left to the MPI library", done)
    for call in collectives:
        wanted = {"call": call, "ranks": ranks}
        if algorithm:
            ours = report.calls(**wanted, algorithm=algorithm)
        else:
            ours = by_rondo(report, **wanted)
        expect(ours > 0, f"Rondo carried out no {call}{_forwarded(report)}", done)
    return report


def carried_out(report, ranks, forms=FORMS):
    """A line on Rondo's exchanges on communicators of all ranks, and on what it forwarded."""
    calls = {form: report.calls(call=form, ranks=ranks) for form in forms}
    counts = ", ".join(f"{count} {form}" for form, count in calls.items() if count)
    return f"{ranks} ranks: {counts} calls{_forwarded(report)}"
