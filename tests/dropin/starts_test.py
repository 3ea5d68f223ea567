#!/usr/bin/env python3
"""Programs that start exchanges and complete them while they wait for something else, in calls of
MPI that have nothing to do with them. Where they can go on there, Rondo carries them out."""

import sys

from support import LIBRARY, Failures, Report, options, parse, progresses_in_mpi, run_ranks

FORMS = ("ialltoall", "ialltoallv", "ialltoallw")
CHANNELS = 2
ROUNDS = 16
# Rounds of messages, in which every rank is needed until the last; and shared memory, in pieces.
MESSAGES = {
    "RONDO_ALLTOALL": "tunable_bruck:radix=2",
    "RONDO_ALLTOALLV": "fused_bruck:radix=2:threshold=100000",
    "RONDO_ALLTOALLW": "two_phase_bruck",
}
SHARED = {
    "RONDO_ALLTOALL": "node_aware:threshold=100000",
    "RONDO_ALLTOALLV": "node_aware:threshold=100000",
    "RONDO_ALLTOALLW": "node_aware",
    "RONDO_SLOT_BYTES": "4096",
}
CHECKED = {"RONDO_CHECK": "1", "RONDO_ALLTOALLV": "spread_out"}
# In what the ranks wait, how many of them there are, and the settings. Two ranks are a pair and
# three are not. Of five, the rounds of Bruck's algorithm have different numbers of blocks, and of a
# power of two all have as many.
ROWS = (
    ("recv,fence,random", 2, MESSAGES),
    ("wait,probe,exchange,fence", 3, MESSAGES),
    ("recv", 4, MESSAGES),
    ("recv,barrier,comm,testall,random", 5, MESSAGES),
    ("barrier", 2, SHARED),
    ("wait,fence", 5, SHARED),
    ("testall,random", 8, SHARED),
    ("recv,testall,random", 3, {}),
    ("exchange,random", 3, CHECKED),
)
THREADS = ((2, SHARED), (3, MESSAGES), (3, {**MESSAGES, "RONDO_PROGRESS": "thread"}))


def start(ways, ranks, rounds=ROUNDS, **settings):
    defaults = {
        "RONDO_NONBLOCKING": "1",
        "RONDO_FORWARD_CALLS": "0",
        "RONDO_REQUESTS": str(CHANNELS),
    }
    settings = {
        name: value for name, value in {**defaults, **settings}.items() if value is not None
    }
    way = ["--via", options.via] if options.via else []
    command = [options.exec, *way, "--stats", options.starts_program, ways, rounds]
    return run_ranks(*command, ranks=ranks, **settings)


def expect_ours(failures, what, done, ranks, rounds=ROUNDS, communicators=1):
    """Rondo has carried out all `rounds`."""
    report = Report(done.stderr)
    failures.expect(done.returncode == 0, f"{what}: status {done.returncode}", done)
    calls = {form: report.calls(call=form) for form in FORMS}
    expected = dict.fromkeys(FORMS, rounds * ranks * communicators)
    failures.expect(calls == expected, f"{what}: {calls}, not {expected}", done)
    left = sum(report.calls(call=form, algorithm=LIBRARY) for form in FORMS)
    failures.expect(left == 0, f"{what}: {left} are the library's", done)
    failures.expect(not report.unhandled, f"{what}: forwarded {report.unhandled}", done)


def expect_left(failures, what, done, ranks):
    """All of them were the library's."""
    expected = {f"MPI_{form.capitalize()}": ROUNDS * ranks for form in FORMS}
    left = Report(done.stderr).unhandled
    is_right = done.returncode == 0 and left == expected
    failures.expect(is_right, f"{what}: forwarded {left}, not {expected}", done)


def check_waits(failures):
    for ways, ranks, settings in ROWS:
        done = start(ways, ranks, **settings)
        what = f"{ways} on {ranks} ranks with {settings}"
        expect_ours(failures, what, done, ranks, rounds=ROUNDS * len(ways.split(",")))


def check_threads(failures):
    """Several threads, with a communicator each, and with the thread of RONDO_PROGRESS=thread."""
    for ranks, settings in THREADS:
        done = start("threads", ranks, **settings)
        what = f"threads of {ranks} ranks with {settings}"
        expect_ours(failures, what, done, ranks, communicators=3)


def check_left(failures):
    """All stay the library's unless the user wants it otherwise and the communicator is set up."""
    rows = {
        "without RONDO_NONBLOCKING": {"RONDO_NONBLOCKING": None},
        "not set up": {"RONDO_FORWARD_CALLS": "1000"},
        "--ab": {"RONDO_AB": "1"},
    }
    for what, settings in rows.items():
        expect_left(failures, what, start("testall", 2, **settings), 2)
    done = start("testall", 2, RONDO_ALLTOALLV="mpi")
    left = Report(done.stderr).unhandled
    expected = {"MPI_Ialltoallv": 2 * ROUNDS}
    failures.expect(left == expected, f"alltoallv=mpi: {left}, not {expected}", done)


def check_edges(failures):
    """Exchanges among neighbours, which a blocking one has set up."""
    for ranks, algorithm in ((2, "spread_out"), (3, "node_aware"), (5, "spread_out")):
        done = start("edges", ranks, RONDO_NEIGHBOR_ALLTOALLV=algorithm)
        report = Report(done.stderr)
        calls = report.calls(call="ineighbor_alltoallv", algorithm=algorithm)
        is_right = (done.returncode, calls) == (0, 3 * len(FORMS) * ROUNDS * ranks)
        what = f"edges of {ranks} ranks with {algorithm}: {calls}, forwarded {report.unhandled}"
        failures.expect(is_right and not report.unhandled, what, done)
    done = start("edges", 3, RONDO_NONBLOCKING=None)
    left = Report(done.stderr).unhandled
    names = ("MPI_Ineighbor_alltoall", "MPI_Ineighbor_alltoallv", "MPI_Ineighbor_alltoallw")
    expected = dict.fromkeys(names, 3 * ROUNDS * 3)
    failures.expect(left == expected, f"edges without RONDO_NONBLOCKING: {left}", done)


def check_freed(failures):
    """A communicator that is freed while its exchanges are outstanding."""
    done = start("freed", 3, **MESSAGES)
    expect_ours(failures, "a communicator is freed", done, 3, rounds=8)


def check_many(failures):
    """Many more starts than there are channels need few memory mappings."""
    ranks, starts = 2, 3000
    done = start("many", ranks, rounds=starts, **SHARED)
    report = Report(done.stderr)
    failures.expect(done.returncode == 0, f"many starts: status {done.returncode}", done)
    calls = report.calls(call="ialltoall")
    left = report.calls(call="ialltoall", algorithm=LIBRARY)
    is_right = calls == ranks * starts and left == 0
    failures.expect(is_right, f"many starts: {calls}, of which {left} are the library's", done)


def check_failing(failures):
    """One rank has wrong arguments. The others do not wait for it for ever."""
    done = start("failing", 3, RONDO_ALLTOALLV="node_aware")
    failures.expect(done.returncode == 0, "a wrong argument on one rank", done)


def main():
    parse(__doc__, "exec", "starts-program", optional=["via"])
    failures = Failures()
    if progresses_in_mpi(options.starts_program):
        check_waits(failures)
        check_threads(failures)
        check_left(failures)
        check_edges(failures)
        check_freed(failures)
        check_many(failures)
        # Open MPI finds wrong arguments before its component does, and tells no other rank.
        if options.via is None:
            check_failing(failures)
    else:
        expect_left(failures, "this MPI library", start("testall", 2), 2)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
