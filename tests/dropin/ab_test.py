#!/usr/bin/env python3
"""Rondo and the MPI library in turns: the report has the numbers of calls that turns.c makes, and
results are right in every turn. With --times, whether its times are right instead."""

import re
import sys
import tempfile
from pathlib import Path

from support import FORWARDED, LIBRARY, RANKS, Failures, Report, options, parse, run_ranks

WARM_UPS = 1
TURN = 8
PAIR = 2 * TURN
SLEEP_SECONDS = 20e-3  # in turns.c
ROW = re.compile(
    r"^rondo: (?P<call>alltoall[vw]?) +(?P<calls>\d+) +(?P<library>[\d.]+) +(?P<rondo>[\d.]+)$",
    re.MULTILINE,
)
PROGRAM = re.compile(
    r"^rondo: speedup of the program: (?P<figure>[\d.]+|no significant difference), "
    r"95 % interval (?P<low>[\d.]+) \.\. (?P<high>[\d.]+), (?P<pairs>\d+) pairs of turns$",
    re.MULTILINE,
)
ESTIMATES = re.compile(
    r"^rondo: estimates for the whole run: (?P<rondo>[\d.]+) s with Rondo alone, "
    r"(?P<library>[\d.]+) s with the MPI library alone$",
    re.MULTILINE,
)
TOO_FEW = "rondo: speedup of the program: no significant difference, too few turns\n"
LEFT_OUT = re.compile(r"^rondo: left out: (\d+) calls of rank (\d+)", re.MULTILINE)
RUN = re.compile(r"^rondo: rank (\d+) took ([\d.]+) s until MPI_Finalize, ([\d.]+) s", re.MULTILINE)
NOTHING = "rondo: nothing was compared"


def calls_of(stderr):
    """Calls that either arm had in complete pairs, over all ranks."""
    return {row["call"]: int(row["calls"]) for row in ROW.finditer(stderr)}


def turns_of(rounds):
    """Calls that take turns, in each round's alltoall, alltoallv, and alltoall of a half: on
    MPI_COMM_WORLD the first ones are half of either collective."""
    in_world = rounds - FORWARDED // 2 - WARM_UPS
    return in_world, in_world, rounds - FORWARDED - WARM_UPS


def expect_calls(failures, done, what, rounds):
    """Results and the table of calls are right. Each rank is in MPI_COMM_WORLD and in one half."""
    failures.expect(done.returncode == 0 and done.stdout == "right\n", f"{what}: results", done)
    world, world_v, half = (RANKS * TURN * (calls // PAIR) for calls in turns_of(rounds))
    expected = {"alltoall": world + half, "alltoallv": world_v}
    got = calls_of(done.stderr)
    failures.expect(got == expected, f"{what}: calls {got}, not {expected}", done)


def expect_program(failures, done, what, rounds):
    """The program's figure, from the pairs of one rank: each call is in one or left out. On a busy
    machine long pauses can leave too few."""
    rows = list(PROGRAM.finditer(done.stderr))
    is_said_once = len(rows) + done.stderr.count(TOO_FEW) == 1
    failures.expect(is_said_once, f"{what}: {len(rows)} figures of the program", done)
    for row in rows:
        left = sum(int(number) for number, _ in LEFT_OUT.findall(done.stderr))
        calls = PAIR * int(row["pairs"]) + left
        expected = sum(turns_of(rounds))
        failures.expect(calls == expected, f"{what}: {calls} calls, not {expected}", done)
        is_interval = 0 < float(row["low"]) <= float(row["high"])
        failures.expect(is_interval, f"{what}: an interval", done)


def check_turns(failures, folder):
    """With an odd number of calls, complete pairs have as many calls of the library as of Rondo."""
    rounds = 229
    stem = folder / "counts"
    words = ["--ab", "--stats", "--record", stem, options.turns, rounds]
    done = run_ranks(options.exec, *words)
    expect_calls(failures, done, "in turns", rounds)
    expect_program(failures, done, "in turns", rounds)
    _, world_v, _ = turns_of(rounds)
    assert world_v % PAIR == 0
    to_library = RANKS * (FORWARDED // 2 + world_v // 2)
    got = Report(done.stderr).calls(call="alltoallv", algorithm=LIBRARY)
    failures.expect(got == to_library, f"{got} calls are the library's, not {to_library}", done)
    total = Report(done.stderr).calls(call="alltoallv")
    failures.expect(total == RANKS * rounds, f"{total} calls", done)
    run_seconds = [
        (rank, float(all_), float(part)) for rank, all_, part in RUN.findall(done.stderr)
    ]
    is_part = len(run_seconds) == 1 and 0 < run_seconds[0][2] < run_seconds[0][1]
    failures.expect(is_part, f"the run and its exchanges: {run_seconds}", done)
    recorded = sorted(path.name for path in folder.glob("counts.*.32"))
    expected = ["counts.0.2.32", "counts.0.3.32", "counts.1.3.32"]
    failures.expect(recorded == expected, f"--record at the same time: {recorded}", done)


def check_failure(failures):
    """The last call but one fails on one rank. The other ranks continue to take turns."""
    done = run_ranks(options.exec, "--ab", options.turns, 117, "fail")
    expect_calls(failures, done, "with a failure", 117)


def told_of_slow(failures, rounds, seed):
    """The report on a library that sleeps, if it finds a difference."""
    words = [options.exec, "--ab", options.turns, rounds, "slow"]
    done = run_ranks(*words, ranks=2, RONDO_AB_SEED=str(seed))
    failures.expect(done.stdout == "right\n", "a slow library: results", done)
    figure, estimates = PROGRAM.search(done.stderr), ESTIMATES.search(done.stderr)
    return (figure, estimates) if figure and estimates else None


def check_slow(failures):
    """The MPI library's MPI_Alltoall sleeps, twice in a round: about what whole runs would show. A
    busy machine can hide that, but not each time."""
    rounds = 117
    slept = 2 * SLEEP_SECONDS * rounds
    said = []
    for seed in range(1, 5):
        told = told_of_slow(failures, rounds, seed)
        if told is None:
            continue
        figure, estimates = told
        saved = float(estimates["library"]) - float(estimates["rondo"])
        said.append((figure["low"], figure["high"], saved))
        if float(figure["low"]) > 1 and 0.5 * slept < saved < 2 * slept:
            return
    failures.expect(False, f"a slow library: {slept} s slept, not told of: {said}")


def check_late(failures):
    """All ranks wait for a late one, so both arms take the same time, although the calls are short
    on the late rank."""
    same = {"RONDO_ALLTOALL": "mpi", "RONDO_ALLTOALLV": "mpi"}
    done = run_ranks(options.exec, "--ab", options.turns, 229, "late", **same)
    row = PROGRAM.search(done.stderr)
    is_no_gain = row is None or (float(row["low"]) < 1.05 and float(row["high"]) > 0.95)
    failures.expect(is_no_gain, "a late rank: no difference", done)
    is_said_once = done.stderr.count("speedup") == 1
    failures.expect(is_said_once, "a late rank: no other speedup", done)


def check_few(failures):
    done = run_ranks(options.exec, "--ab", options.turns, 30)
    expect_calls(failures, done, "few turns", 30)
    longer = re.search(r"run the program [\d.]+ times as long$", done.stderr, re.MULTILINE)
    is_said = TOO_FEW in done.stderr and longer is not None
    failures.expect(is_said and not PROGRAM.search(done.stderr), "few turns tell nothing", done)
    for program in ([options.turns, 9], [options.c_program, "few"]):
        done = run_ranks(options.exec, "--ab", *program)
        is_said = done.stderr.count(NOTHING) == 1 and done.stderr.count("\n") == 1
        failures.expect(done.returncode == 0 and is_said, f"nothing to compare: {program}", done)


def check_disagreement(failures):
    """RONDO_AB is set on one rank only. Rank 0 of each communicator decides for its ranks."""
    rounds = 117
    world, world_v, half = (TURN * (calls // PAIR) for calls in turns_of(rounds))
    even = (RANKS + 1) // 2
    by_root = {
        0: {"alltoall": RANKS * world + even * half, "alltoallv": RANKS * world_v},
        1: {"alltoall": (RANKS - even) * half},
        2: {},
    }
    for rank, expected in by_root.items():
        own = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        line = f'if [ "{own}" = {rank} ]; then export RONDO_AB=1; fi; exec "$@"'
        command = ["sh", "-c", line, "sh", options.exec, options.turns, rounds]
        done = run_ranks(*command)
        got = calls_of(done.stderr)
        is_right = done.stdout == "right\n" and got == expected
        failures.expect(is_right, f"rank {rank} asks for it alone: {got}, not {expected}", done)
        is_said = (NOTHING in done.stderr) == (not expected)
        failures.expect(is_said, f"rank {rank} asks for it alone: one report", done)


def main():
    parse(__doc__, "exec", "turns", "c-program", flags=["times"])
    failures = Failures()
    if options.times:
        check_slow(failures)
        check_late(failures)
        return failures.status()
    with tempfile.TemporaryDirectory(prefix="rondo-ab-") as folder:
        check_turns(failures, Path(folder))
    check_failure(failures)
    check_few(failures)
    check_disagreement(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
