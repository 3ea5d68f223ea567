#!/usr/bin/env python3
"""Programs that make exchanges by persistent requests, which Rondo carries out inside Open MPI."""

import sys

from support import LIBRARY, Failures, Report, options, parse, run_ranks

NAMES = [
    f"MPI_{group}lltoall{form}_init" for group in ("A", "Neighbor_a") for form in ("", "v", "w")
]
FORMS = ("alltoall_init", "alltoallv_init", "alltoallw_init", "neighbor_alltoallv_init")
STARTS = 8
ALL = "rounds,inactive,mixed,crossed,beside,active"
# What Open MPI 4.1's own requests do not survive: that a type or the communicator is freed, or that
# one is started while it is active.
OURS = f"types_freed,{ALL},started_twice,fails,orphaned"
MESSAGES = {
    "RONDO_ALLTOALL": "tunable_bruck:radix=2",
    "RONDO_ALLTOALLV": "fused_bruck:radix=2:threshold=100000",
    "RONDO_ALLTOALLW": "two_phase_bruck",
    "RONDO_NEIGHBOR_ALLTOALLV": "spread_out",
}
SHARED = {
    "RONDO_ALLTOALL": "node_aware:threshold=100000",
    "RONDO_ALLTOALLV": "node_aware:threshold=100000",
    "RONDO_ALLTOALLW": "node_aware",
    "RONDO_NEIGHBOR_ALLTOALLV": "node_aware",
}
CHECKED = {**MESSAGES, "RONDO_CHECK": "1"}
LEFT = {"RONDO_ALLTOALLV": "mpi"}
# What is done, on how many ranks, and the settings.
ROWS = (
    *((OURS, ranks, settings) for ranks in (1, 2, 3, 5, 8) for settings in (SHARED, MESSAGES)),
    (OURS, 3, CHECKED),
    (ALL, 3, {}),
    (ALL, 3, LEFT),
    ("threads", 2, SHARED),
    ("threads", 3, MESSAGES),
    ("threads", 3, {**SHARED, "RONDO_PROGRESS": "thread"}),
    ("mismatched", 3, SHARED),
    ("many", 2, SHARED),
    ("many", 5, MESSAGES),
)


def start(what, ranks, program=None, **settings):
    defaults = {"RONDO_NONBLOCKING": "1"}
    settings = {
        name: value for name, value in {**defaults, **settings}.items() if value is not None
    }
    command = [options.exec, "--via", "component", "--stats"]
    arguments = [program or options.persistent_program, what, STARTS]
    return run_ranks(*command, *arguments, ranks=ranks, **settings)


def left_of(report):
    return {name: report.unhandled[name] for name in NAMES if name in report.unhandled}


def check_ours(failures):
    for what, ranks, settings in ROWS:
        done = start(what, ranks, **settings)
        row = f"{what} on {ranks} ranks with {settings}"
        failures.expect(done.returncode == 0, f"{row}: status {done.returncode}", done)
        report = Report(done.stderr)
        calls = {form: report.calls(call=form) for form in FORMS}
        if what == OURS:
            is_right = not left_of(report) and all(calls.values())
            failures.expect(is_right, f"{row}: {calls}, left {left_of(report)}", done)
        ours_alone = sum(report.calls(call=form, algorithm=LIBRARY) for form in FORMS) == 0
        failures.expect(ours_alone, f"{row}: an execution is the library's", done)


def check_numbers(failures):
    """Each start is counted once, and what is left is counted where the request is made."""
    ranks = 3
    done = start("rounds", ranks, **SHARED)
    calls = {form: Report(done.stderr).calls(call=form) for form in FORMS}
    of_form = 5 * STARTS * ranks
    expected = {form: 6 * of_form if form.startswith("neighbor") else of_form for form in FORMS}
    failures.expect(calls == expected, f"counted {calls}, not {expected}", done)
    done = start("rounds", ranks, **{**SHARED, **LEFT})
    left = left_of(Report(done.stderr))
    expected = {"MPI_Alltoallv_init": 5 * ranks}
    failures.expect(left == expected, f"with alltoallv=mpi: left {left}, not {expected}", done)
    done = start("beside", ranks, **SHARED)
    calls = Report(done.stderr).calls(call="alltoall")
    failures.expect(calls == STARTS * ranks, f"{calls} calls beside a request", done)
    done = start("many", ranks, **MESSAGES)
    left = sum(left_of(Report(done.stderr)).values())
    failures.expect(left == 3 * (70 - 64) * ranks, f"of 70 requests {left} are left", done)


def check_fortran(failures):
    for program in options.fortran_program:
        done = start("", 3, program=program)
        calls = Report(done.stderr).calls(call="alltoallv_init")
        is_right = (done.returncode, calls) == (0, STARTS * 3)
        failures.expect(is_right, f"{program.name}: {calls} calls", done)


def check_left(failures, **settings):
    """All of them were the library's."""
    for ranks in (1, 3):
        done = start(ALL, ranks, **settings)
        report = Report(done.stderr)
        calls = sum(report.calls(call=form) for form in FORMS)
        what = f"left on {ranks} ranks with {settings}: {calls} are Rondo's"
        failures.expect(done.returncode == 0 and calls == 0, what, done)


def main():
    parse(__doc__, "exec", "persistent-program", several=["fortran-program"])
    failures = Failures()
    if run_ranks(options.persistent_program, ranks=1).stdout == "none\n":
        print("SKIP: this MPI library has no persistent forms of exchanges")
    else:
        check_ours(failures)
        check_numbers(failures)
        check_fortran(failures)
        check_left(failures, RONDO_NONBLOCKING=None)
        check_left(failures, RONDO_AB="1")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
