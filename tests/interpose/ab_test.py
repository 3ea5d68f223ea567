#!/usr/bin/env python3
"""Rondo and the MPI library in turns: the numbers of calls in the report, as turns.c makes them,
and the right results whoever's turn it is."""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from support import Failures, Report, run

RANKS = 3
FORWARDED = 8  # the default of RONDO_FORWARD_CALLS
WARM_UPS = 1
BLOCK = 8
PAIR = 2 * BLOCK
LIBRARY = "(MPI library)"
HALVES = 2  # the communicators of the even and of the odd ranks
ROW = re.compile(
    r"^rondo: (?P<call>alltoall[vw]?|all) +(?P<pairs>\d+) +(?P<calls>\d+) +[\d.]+ +[\d.]+ +[\d.]+  "
    r"(?:(?P<low>[\d.]+) \.\. (?P<high>[\d.]+)|(?P<few>too few pairs))$",
    re.MULTILINE,
)
LEFT_OUT = re.compile(r"^rondo: left out: (\d+) calls", re.MULTILINE)
RUN = re.compile(r"^rondo: the run took ([\d.]+) s until MPI_Finalize, ([\d.]+) s", re.MULTILINE)
NOTHING = "rondo: nothing is compared"


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("exec", "turns", "c-program"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--mpirun", nargs=argparse.REMAINDER, required=True)
    return parser.parse_args()


def run_ranks(options, *command, **variables):
    return run([*options.mpirun, "-n", RANKS, *command], **variables)


def pairs_of(stderr):
    return {row["call"]: int(row["pairs"]) for row in ROW.finditer(stderr)}


def turns_of(rounds):
    """Calls that take turns, in each round's alltoall, alltoallv, and alltoall of a half: on
    MPI_COMM_WORLD the first ones are half of either collective."""
    in_world = rounds - FORWARDED // 2 - WARM_UPS
    return in_world, in_world, rounds - FORWARDED - WARM_UPS


def expect_report(failures, done, what, rounds):
    """The rows of the table, by the calls that were made, and what is left out."""
    world, world_v, half = turns_of(rounds)
    expected = {"alltoall": world // PAIR + HALVES * (half // PAIR), "alltoallv": world_v // PAIR}
    expected["all"] = sum(expected.values())
    got = pairs_of(done.stderr)
    failures.expect(done.returncode == 0 and done.stdout == "right\n", f"{what}: results", done)
    failures.expect(got == expected, f"{what}: pairs {got}, not {expected}", done)
    calls = {row["call"]: int(row["calls"]) for row in ROW.finditer(done.stderr)}
    is_whole = calls == {call: BLOCK * pairs for call, pairs in expected.items()}
    failures.expect(is_whole, f"{what}: calls {calls}", done)
    left = world + world_v + HALVES * half - PAIR * expected["all"]
    said = [int(number) for number in LEFT_OUT.findall(done.stderr)]
    failures.expect(said == [left], f"{what}: left out {said}, not {left}", done)


def check_turns(failures, options, folder):
    """An odd number of calls; every complete pair has as many of the library's as of Rondo's."""
    rounds = 101
    stem = folder / "counts"
    words = ["--ab", "--stats", "--record", stem, options.turns, rounds]
    done = run_ranks(options, options.exec, *words)
    expect_report(failures, done, "in turns", rounds)
    _, world_v, _ = turns_of(rounds)
    assert world_v % PAIR == 0
    to_library = RANKS * (FORWARDED // 2 + world_v // 2)
    got = Report(done.stderr).calls(call="alltoallv", algorithm=LIBRARY)
    failures.expect(got == to_library, f"{got} calls are the library's, not {to_library}", done)
    total = Report(done.stderr).calls(call="alltoallv")
    failures.expect(total == RANKS * rounds, f"{total} calls", done)
    for row in ROW.finditer(done.stderr):
        is_one = row["low"] is not None and 0 < float(row["low"]) <= float(row["high"])
        failures.expect(is_one, f"an interval for {row['call']}", done)
    run_seconds = [(float(all_), float(part)) for all_, part in RUN.findall(done.stderr)]
    is_part = len(run_seconds) == 1 and 0 < run_seconds[0][1] < run_seconds[0][0]
    failures.expect(is_part, f"the run and its exchanges: {run_seconds}", done)
    recorded = sorted(path.name for path in folder.glob("counts.*.32"))
    expected = ["counts.0.2.32", "counts.0.3.32", "counts.1.3.32"]
    failures.expect(recorded == expected, f"--record at the same time: {recorded}", done)


def check_failure(failures, options):
    """The call before the last fails on one rank: the others' turns go on as if it had not."""
    done = run_ranks(options, options.exec, "--ab", options.turns, 101, "fail")
    expect_report(failures, done, "with a failure", 101)


def check_few(failures, options):
    done = run_ranks(options, options.exec, "--ab", options.turns, 30)
    expect_report(failures, done, "few turns", 30)
    rows = list(ROW.finditer(done.stderr))
    is_said = rows and all(row["few"] for row in rows) and "a longer run has more" in done.stderr
    failures.expect(is_said, "few turns have no interval", done)
    for program in ([options.turns, 9], [options.c_program, "few"]):
        done = run_ranks(options, options.exec, "--ab", *program)
        is_said = done.stderr.count(NOTHING) == 1 and done.stderr.count("\n") == 1
        failures.expect(done.returncode == 0 and is_said, f"nothing to compare: {program}", done)


def check_disagreement(failures, options):
    """RONDO_AB on one rank only: rank 0 of each communicator decides for all of it."""
    rounds = 101
    world, world_v, half = (calls // PAIR for calls in turns_of(rounds))
    by_root = {
        0: {"alltoall": world + half, "alltoallv": world_v, "all": world + half + world_v},
        1: {"alltoall": half},
        2: {},
    }
    for rank, expected in by_root.items():
        own = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        line = f'if [ "{own}" = {rank} ]; then export RONDO_AB=1; fi; exec "$@"'
        command = ["sh", "-c", line, "sh", options.exec, options.turns, rounds]
        done = run_ranks(options, *command)
        got = pairs_of(done.stderr)
        is_right = done.stdout == "right\n" and got == expected
        failures.expect(is_right, f"rank {rank} asks for it alone: {got}, not {expected}", done)
        is_said = (NOTHING in done.stderr) == (not expected)
        failures.expect(is_said, f"rank {rank} asks for it alone: one report", done)


def main():
    options = parse()
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-ab-") as folder:
        check_turns(failures, options, Path(folder))
    check_failure(failures, options)
    check_few(failures, options)
    check_disagreement(failures, options)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
