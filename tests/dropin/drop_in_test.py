#!/usr/bin/env python3
"""Programs that are not linked to Rondo, run with it and without: the same results, and every call
counted exactly once."""

import ctypes
import re
import shutil
import sys
import tempfile
from pathlib import Path

from support import (
    FORWARDED,
    LIBRARY,
    RANKS,
    Failures,
    Report,
    options,
    parse,
    progresses_in_mpi,
    run,
    run_ranks,
)

C_ROUNDS = 4  # as in exchanges.c
C_AMONG_NEIGHBOURS = 10  # one, and the three large forms on each of three topologies
FORTRAN_ROUNDS = 3  # as in exchanges.F90
INT_BYTES = 4
SLEEP_SECONDS = (1, 6)  # for a short run and one that counts
SHORT_SECONDS = 5
FORMS = (9, 30)  # those of MPI 3; with those of MPI 4
# Those of these forms that Rondo carries out, and those that it counts if it does not.
BLOCKING_NEIGHBOURS = re.compile(r"MPI_Neighbor_alltoall[vw]?(_c)?$")
STARTS = re.compile(r"MPI_I(neighbor_)?alltoall[vw]?$")
BY_NODES = {"RONDO_FORWARD_CALLS": "0", "RONDO_NEIGHBOR_ALLTOALLV": "node_aware"}
STRAIGHT = {"RONDO_FORWARD_CALLS": "0", "RONDO_NEIGHBOR_ALLTOALLV": "spread_out"}
# By program. In Fortran they reach the same functions, and differ in how they are called.
NEIGHBOUR_SETTINGS = {
    "forwarded_c": ({}, BY_NODES, STRAIGHT),
    "forwarded_mpif": ({}, BY_NODES),
    "forwarded_f08": ({}, STRAIGHT),
}


PROGRAMS = """exec preload c-program failing-program loader loaded device-program device-library
    map-library lengths turns grouped-locale""".split()
SEVERAL = ("forwarded-program", "fortran-program", "named-library")


def expect_counts(failures, done, what, counted, unhandled):
    """Expects these calls of Rondo by collective, and of the MPI library by name, on each rank."""
    report = Report(done.stderr)
    got = {call: report.calls(call=call, ranks=RANKS) for call in counted}
    expected = {call: calls * RANKS for call, calls in counted.items()}
    failures.expect(done.returncode == 0 and report.reports == 1, f"{what}: one report", done)
    failures.expect(got == expected, f"{what}: calls {got}, not {expected}", done)
    expected = {name: calls * RANKS for name, calls in unhandled.items()}
    failures.expect(report.unhandled == expected, f"{what}: not handled, not {expected}", done)
    return report


def check_c(failures):
    plain = run_ranks(options.c_program)
    failures.expect(plain.returncode == 0, "the C program by itself", plain)
    quiet = run_ranks(options.exec, options.c_program)
    failures.expect(quiet.stdout == plain.stdout, "the C program with Rondo", quiet)
    failures.expect("rondo" not in quiet.stderr, "nothing is printed unasked", quiet)

    done = run_ranks(options.exec, "--stats", options.c_program, RONDO_NONBLOCKING="1")
    failures.expect(done.stdout == plain.stdout, "the C program with --stats", done)
    counted = {call: 3 * C_ROUNDS for call in ("alltoall", "alltoallv", "alltoallw")}
    counted["neighbor_alltoallv"] = C_AMONG_NEIGHBOURS
    # The blocking calls of the first round set up the communicator.
    goes_on = progresses_in_mpi(options.c_program)
    counted |= {"ialltoall": C_ROUNDS - 1} if goes_on else {}
    unhandled = {
        "MPI_Ialltoall": 1 if goes_on else C_ROUNDS,
        "alltoall on inter-communicators": 1,
        "alltoallv on inter-communicators": 1,
    }
    report = expect_counts(failures, done, "C", counted, unhandled)
    left = report.calls(algorithm=LIBRARY) - report.calls(algorithm=LIBRARY, call="ialltoall")
    # On MPI_COMM_WORLD, and all on those with a topology, which live for a few calls.
    of_both = (FORWARDED + C_AMONG_NEIGHBOURS) * RANKS
    failures.expect(left == of_both, f"C: the library's calls: {left}", done)
    sent = report.bytes(call="alltoall", block="< 16")
    failures.expect(sent == 3 * C_ROUNDS * RANKS * RANKS * 2 * INT_BYTES, f"C: {sent} bytes", done)
    return plain.stdout


def check_others(failures, stdout, folder):
    done = run_ranks(options.exec, "--stats", options.c_program, RONDO_DISABLE="1")
    is_plain = done.stdout == stdout and "rondo" not in done.stderr
    failures.expect(is_plain, "RONDO_DISABLE=1 leaves the program alone", done)

    done = run_ranks(options.exec, "--stats", options.c_program, "few")
    report = Report(done.stderr)
    of_few = [(line["ranks"], line["calls"]) for line in report.lines]
    failures.expect(of_few == [("2", "2")], f"a rank without exchanges reports too: {of_few}", done)

    if options.sanitized_program:
        settings = {"ASAN_OPTIONS": "detect_leaks=0"}  # MPI libraries leave some
        done = run_ranks(options.exec, "--stats", options.sanitized_program, **settings)
        is_right = done.stdout == stdout and Report(done.stderr).calls() > 0
        failures.expect(is_right, "a program that is built with AddressSanitizer", done)

    done = run_ranks(options.exec, "--stats", options.loader, options.loaded)
    failures.expect(done.stdout == stdout, "an MPI library loaded for one library only", done)
    calls = Report(done.stderr).calls()
    failures.expect(calls > FORWARDED * RANKS, f"loaded for one only: {calls} calls", done)
    calls = Report(done.stderr).calls(call="neighbor_alltoallv")
    is_seen = calls == C_AMONG_NEIGHBOURS * RANKS
    failures.expect(is_seen, f"loaded for one only: {calls} calls among neighbours", done)

    alone = shutil.copy(options.preload, folder)
    done = run_ranks("env", f"LD_PRELOAD={alone}", options.c_program)
    failures.expect(done.stdout == stdout, "without the family's part", done)
    said = done.stderr.count("rondo: no part of Rondo")
    failures.expect(said == 1, f"without the family's part: {said} warnings", done)

    logs = Path(folder) / "loads"
    logs.mkdir()
    settings = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(logs / "of")}
    done = run_ranks("env", f"LD_PRELOAD={options.preload}", options.c_program, **settings)
    texts = [log.read_text(errors="replace") for log in logs.iterdir()]
    early = re.compile(
        f"calling init: .*librondo_dropin.*transferring control: {options.c_program}", re.DOTALL
    )
    ranks = len([text for text in texts if early.search(text)])
    failures.expect(ranks == RANKS, f"{ranks} ranks have loaded Rondo before they begin", done)

    absurd = [f"{name}={2**31 - 1}" for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")]
    done = run_ranks("env", f"LD_PRELOAD={options.preload}", *absurd, options.c_program)
    failures.expect(done.stdout == stdout, "a launcher that says any number of ranks", done)


def expect_share(failures, done, is_little):
    """The last line says how much of the run blocking exchanges took, and what to do next."""
    shares = Report(done.stderr).shares
    failures.expect(len(shares) == 1, f"{len(shares)} shares", done)
    for share in shares:
        percent, seconds, whole = (float(share[name]) for name in ("percent", "seconds", "run"))
        is_right = abs(percent - 100 * seconds / whole) < 0.2 and percent <= 100
        failures.expect(is_right, f"{percent} % is {seconds} of {whole} s", done)
        failures.expect((percent < 3) == is_little, f"a share of {percent} %", done)
        is_short = float(share["run"]) < SHORT_SECONDS
        advice = "--ab shows" if not is_little else "" if is_short else "stop here"
        said = share["next"] or ""
        is_said = said.startswith(advice) if advice else not said
        failures.expect(is_said, f"{percent} % of {share['run']} s: {said}", done)


def check_share(failures):
    for seconds in SLEEP_SECONDS:
        late = ["sh", "-c", f'sleep {seconds}; exec "$@"', "sh"]  # the process is the same
        few = run_ranks(*late, options.exec, "--stats", options.c_program, "few")
        expect_share(failures, few, is_little=True)
    slow = run_ranks(options.exec, "--stats", options.turns, 20, "slow", RONDO_ALLTOALL="mpi")
    expect_share(failures, slow, is_little=False)


def check_own_calls(failures):
    """Rondo's functions that the program calls itself are counted by name."""
    calls = 2 * (4 + 1)  # ranks, samples and the warm-up
    words = ["--iterations", 4, "--warmup", 1, "--bytes", 17]
    rows = [
        (["alltoallv", "--algorithm", "fused_bruck"], {"Rondo_Alltoallv": calls}),
        (["alltoall", "--algorithm", "node_aware", "--plan"], {"Rondo_Execute": calls}),
        (["sparse_alltoallv", "--algorithm", "auto"], {"Rondo_Sparse_alltoallv": calls}),
    ]
    for bench, counted in rows:
        done = run_ranks(options.exec, "--stats", options.bench, *bench, *words, ranks=2)
        report = Report(done.stderr)
        is_right = done.returncode == 0 and report.own_calls == counted
        failures.expect(is_right, f"{bench}: own calls {report.own_calls}", done)
        failures.expect("carried out no exchange" not in done.stderr, f"{bench}: none", done)


def check_alone(failures):
    """A launcher of another MPI library makes as many programs of one rank each."""
    program = [options.exec, "--stats", options.lengths, 0, 4, 0]
    for started, is_said in (("2", True), ("1", False)):
        done = run(program, SLURM_STEP_NUM_TASKS=started)
        said = f"the launcher started {started} ranks, but each is alone in MPI_COMM_WORLD"
        failures.expect((said in done.stderr) == is_said, f"one of {started} ranks", done)


def is_on_this_machine(soname):
    try:
        ctypes.CDLL(soname, mode=ctypes.RTLD_LOCAL)
    except OSError:
        return False
    return True


def check_two_libraries(failures):
    """The process has a second MPI library, before or behind the program's own. The Rondo that runs
    is the one for the library that the program calls. Each process finds that out by itself."""
    own = run(["ldd", options.lengths]).stdout
    others = ("libmpi.so.40", "libmpich.so.12")
    real = [name for name in others if name not in own and is_on_this_machine(name)]
    rows = [(f"{name} mapped later", options.map_library, name) for name in real]
    named = [library for library in options.named_library if library.name not in own]
    for library in named:
        rows.append((f"{library.name} mapped first", library, ""))
        rows.append((f"{library.name} mapped later", options.map_library, library))
    for what, preloaded, mapped in rows:
        command = [options.exec, "--stats", options.lengths, 0, 4, 0]
        variables = {"LD_PRELOAD": str(preloaded), "TEST_MAPS": str(mapped)}
        done = run(command, RONDO_FORWARD_CALLS="0", **variables)
        report = Report(done.stderr)
        ours = report.calls() - report.calls(algorithm=LIBRARY)
        is_handled = (done.returncode, done.stdout, ours) == (0, "right: 4\n", 4)
        failures.expect(is_handled, f"{what}: {ours} calls", done)


def check_fortran(failures, program):
    plain = run_ranks(program)
    failures.expect(plain.returncode == 0, f"{program.name} by itself", plain)
    settings = {"RONDO_FORWARD_CALLS": "0", "RONDO_REQUESTS": "1", "RONDO_NONBLOCKING": "1"}
    done = run_ranks(options.exec, "--stats", program, **settings)
    failures.expect(done.stdout == plain.stdout, f"{program.name} with Rondo", done)
    more = 1 if "f08" in program.name else 0
    counted = {
        "alltoall": (2 + more) * FORTRAN_ROUNDS,
        "alltoallv": 2 * FORTRAN_ROUNDS,
        "alltoallw": 3 * FORTRAN_ROUNDS,
    }
    nonblocking = dict.fromkeys(["ialltoall", "ialltoallv", "ialltoallw"], FORTRAN_ROUNDS)
    unhandled = {}
    if progresses_in_mpi(program):
        counted |= nonblocking
    else:
        unhandled = {f"MPI_{call.capitalize()}": calls for call, calls in nonblocking.items()}
    report = expect_counts(failures, done, program.name, counted, unhandled)
    left = report.calls(algorithm=LIBRARY)
    failures.expect(left == 0, f"{program.name}: {left} calls are the library's", done)


def check_forwarded(failures, program):
    """All forms do what they do without Rondo. Those that it may carry out are counted once on each
    rank, and no others are."""
    plain = run_ranks(program)
    failures.expect(plain.returncode == 0, f"{program.name} by itself", plain)
    calls = re.findall(r"^MPI_\w+$", plain.stdout, re.MULTILINE)
    has_all = len(calls) == len(set(calls)) and len(calls) in FORMS
    failures.expect(has_all, f"{program.name}: {len(calls)} forms", plain)
    ours = [call for call in calls if BLOCKING_NEIGHBOURS.match(call)]
    left = dict.fromkeys([call for call in calls if STARTS.match(call)], 1)
    for variables in NEIGHBOUR_SETTINGS[program.name]:
        done = run_ranks(options.exec, "--stats", program, **variables)
        what = f"{program.name} with {variables}"
        failures.expect(done.stdout == plain.stdout, what, done)
        expect_counts(failures, done, what, {"neighbor_alltoallv": len(ours)}, left)


def check_ambiguous(failures, program):
    """With two ranks MPI libraries differ in what neighbours on a ring receive: Rondo forwards,
    unless the user names its algorithm. Then what is Rondo's is as MPI 4.0 says."""
    plain = run_ranks(program, ranks=2)
    done = run_ranks(options.exec, "--stats", program, ranks=2, RONDO_FORWARD_CALLS="0")
    is_same = (done.stdout, done.returncode) == (plain.stdout, plain.returncode)
    failures.expect(is_same, f"{program.name} on two ranks", done)
    left = Report(done.stderr).unhandled
    is_counted = all(left.get(f"MPI_Neighbor_alltoall{form}") == 2 for form in ("", "v", "w"))
    failures.expect(is_counted or plain.returncode != 0, f"two ranks: {left}", done)
    done = run_ranks(options.exec, "--stats", program, ranks=2, RONDO_NONBLOCKING="1", **BY_NODES)
    left = set(Report(done.stderr).unhandled)
    wrong = set(re.findall(r"^(MPI_\w+) is wrong", done.stderr, re.MULTILINE)) - left
    wrong = {call for call in wrong if BLOCKING_NEIGHBOURS.match(call) or STARTS.match(call)}
    is_ours = not any(BLOCKING_NEIGHBOURS.match(call) for call in left)
    failures.expect(is_ours and not wrong, f"a named algorithm on two ranks: {left}, {wrong}", done)


def check_record(failures, folder):
    """The matrix of the second alltoallv, call 4, as exchanges.c sends; rondo-bench replays it."""
    stem = folder / "counts"
    done = run_ranks(options.exec, "--record", stem, options.c_program)
    calls = sorted(int(path.suffix[1:]) for path in folder.glob("counts.0.1.*"))
    is_thinned = len(calls) >= 4 and calls == [2**n for n in range(len(calls))]
    failures.expect(is_thinned, f"calls {calls} are recorded", done)
    recorded = folder / "counts.0.1.4"
    rows = [line for line in recorded.read_text().splitlines() if not line.startswith("#")]
    matrix = [[int(entry) for entry in row.split()] for row in rows]
    expected = [[INT_BYTES * (1 + (p + q) % 2) for q in range(RANKS)] for p in range(RANKS)]
    failures.expect(matrix == expected, f"the matrix is {matrix}, not {expected}", done)
    if options.bench:
        replay = ["alltoallv", "--distribution", f"matrix:{recorded}", "--iterations", "2"]
        done = run_ranks(options.bench, *replay, "--check")
        failures.expect(done.returncode == 0, "rondo-bench replays it", done)


def check_locale(failures, folder):
    """Numbers are written as always where the program groups its digits."""
    matrices = []
    for name, preloaded in (("plain", ""), ("grouped", options.grouped_locale)):
        command = ["env", f"LD_PRELOAD={preloaded}", options.exec, "--record", folder / name]
        done = run_ranks(*command, options.lengths, 0, 4, 0)
        failures.expect(done.returncode == 0, f"with a {name} locale", done)
        matrices.append((folder / f"{name}.0.1.4").read_text())
    failures.expect("1000" in matrices[0], f"a length of four digits: {matrices[0]}")
    failures.expect(matrices[0] == matrices[1], f"digits are not grouped: {matrices[1]}")


def check_decimal_comma(failures, folder):
    """The reports have decimal points even if the locale of C has commas."""
    made = ["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"]
    if shutil.which("localedef") is None or run(made).returncode != 0:
        print("SKIP decimal commas: localedef or its sources are not here")
        return
    words = [f"LOCPATH={folder}", "TEST_LOCALE=de_DE.UTF-8", f"LD_PRELOAD={options.grouped_locale}"]
    command = ["env", *words, options.exec, "--stats", "--ab", options.lengths, 30, 30, 0]
    done = run_ranks(*command)
    calls = Report(done.stderr).calls(call="alltoallv")
    failures.expect(calls == 60 * RANKS, f"decimal commas: {calls} calls in the report", done)
    is_plain = not re.search(r"\d,\d", done.stderr) and "there is no" not in done.stderr
    failures.expect(is_plain, "no decimal commas", done)


def check_failure(failures, folder):
    """Call 16 is recorded although it fails on one rank, which has sent nothing."""
    stem = folder / "failing"
    done = run_ranks(options.exec, "--stats", "--record", stem, options.failing_program)
    is_told = done.stdout == f"call 16 failed on rank {RANKS - 1}\n"
    failures.expect(done.returncode == 0 and is_told, "a call that fails on one rank", done)
    calls = Report(done.stderr).calls()
    failures.expect(calls == 16 * RANKS - 1, f"failing: {calls} calls", done)
    recorded = Path(f"{stem}.0.1.16")
    last = recorded.read_text().splitlines()[-1].split() if recorded.exists() else None
    failures.expect(last == ["0"] * RANKS, f"failing: the last row is {last}", done)


def check_wrong_arguments(failures, folder):
    """Rondo's exchanges fail on all ranks. If the MPI library's fails on one, the program ends."""
    for words in (("--stats",), ("--record", folder / "wrong")):
        command = [options.exec, *words, options.failing_program]
        done = run_ranks(*command, "refused", RONDO_ALLTOALLV="node_aware", RONDO_FORWARD_CALLS="0")
        told = sorted(done.stdout.splitlines())
        expected = [f"call 16 failed on rank {rank}" for rank in range(RANKS)]
        is_right = (done.returncode, told) == (0, expected)
        failures.expect(is_right, f"{words}: wrong arguments, with Rondo", done)
        done = run_ranks(*command, "ends", RONDO_ALLTOALLV="mpi")
        is_told = f"call 16 failed on rank {RANKS - 1}\n" in done.stdout
        failures.expect(is_told, f"{words}: wrong arguments, with the MPI library", done)


def check_refused(failures):
    """A wrong setting ends the program at its first exchange, on all ranks."""
    done = run_ranks(options.exec, options.c_program, RONDO_ALLTOALL="no_such")
    is_refused = "RONDO_ALLTOALL: no alltoall algorithm 'no_such'" in done.stderr
    has_ended = done.returncode > 0 and "still ran" not in done.stderr
    failures.expect(is_refused and has_ended, "a wrong setting", done)


def check_device(failures):
    """The host cannot access the program's buffers: an access ends the program."""
    program = [options.device_program, options.device_library]
    done = run_ranks(options.exec, *program, RONDO_FORWARD_CALLS="0")
    is_right = (done.returncode, done.stdout) == (0, "3 exchanges, 0 wrong\n")
    failures.expect(is_right, "buffers of a device", done)


def main():
    parse(__doc__, *PROGRAMS, several=SEVERAL, optional=["bench", "sanitized-program"])
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-drop-in-") as folder:
        stdout = check_c(failures)
        check_others(failures, stdout, Path(folder))
        check_two_libraries(failures)
        check_share(failures)
        check_alone(failures)
        if options.bench:
            check_own_calls(failures)
        check_record(failures, Path(folder))
        check_locale(failures, Path(folder))
        check_decimal_comma(failures, Path(folder))
        check_failure(failures, Path(folder))
        check_wrong_arguments(failures, Path(folder))
    check_refused(failures)
    for program in options.forwarded_program:
        check_forwarded(failures, program)
    check_ambiguous(failures, options.forwarded_program[0])
    check_device(failures)
    for program in options.fortran_program:
        check_fortran(failures, program)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
