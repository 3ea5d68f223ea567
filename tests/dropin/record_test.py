#!/usr/bin/env python3
"""The record of a program, and what the statistics say of waiting, against a trace by hand.

record_test.py --mpirun MPIRUN --exec RONDO_EXEC --c-program PROGRAM --late PROGRAM
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

from support import RANKS, Failures, Report, options, parse, run_ranks

CALLS = 120
LATE = 6000  # microseconds: longer than other programs delay, and in the band from 4.1 to 16.4 ms
TOLERANCE = 0.1  # of the time; ranks share cores, and the machine does other things
PATTERNS = ("one", "turn", "apart", "never")
WAITING = re.compile(
    r"^rondo: waiting: (?P<call>\w+) on communicator (?P<communicator>[\d.]+) of (?P<ranks>\d+) "
    r"ranks: (?P<percent>[\d.]+) % of the time is waiting for the last rank, measured in "
    r"(?P<calls>\d+) calls; ranks arrive within (?P<half>\d+ \w+) in half of them, and within "
    r"(?P<most>\d+ \w+) in 9 of 10$",
    re.MULTILINE,
)
BY_HAND = re.compile(r"^by hand: waited ([\d.]+) of ([\d.]+) s$", re.MULTILINE)


def by_hand(done):
    waited, seconds = map(float, BY_HAND.search(done.stdout).groups())
    return waited, seconds


def check_waiting(failures, pattern):
    """The share of waiting is that of the trace, and measuring takes no time in exchanges."""
    calls = CALLS if pattern != "never" else 1000
    late = LATE if pattern != "never" else 0
    done = run_ranks(options.exec, "--stats", options.late, pattern, calls, late)
    found = WAITING.search(done.stderr)
    if done.returncode != 0 or found is None:
        failures.expect(False, f"{pattern}: a line on waiting", done)
        return
    seconds = sum(float(line["seconds"]) for line in Report(done.stderr).lines)
    expected = by_hand(done)[0] / seconds
    share = float(found["percent"]) / 100
    is_near = pattern == "never" or abs(share - expected) < TOLERANCE
    failures.expect(is_near, f"{pattern}: {share:.3f}, by hand {expected:.3f}", done)
    sampled = int(found["calls"])
    failures.expect(60 < sampled < calls, f"{pattern}: {sampled} calls are measured", done)
    counted = Report(done.stderr).calls(call="alltoall")
    failures.expect(counted == calls * RANKS, f"{pattern}: {counted} calls are counted", done)
    if pattern in ("one", "turn"):
        failures.expect(found["half"] == "16 ms", f"{pattern}: within {found['half']}", done)


def check_late_record(failures, folder):
    """All calls but the first are measured, and the sums are those of the trace."""
    path = folder / "late.json"
    done = run_ranks(options.exec, "--record", path, options.late, "turn", CALLS, LATE)
    failures.expect(done.returncode == 0 and path.exists(), "late is recorded", done)
    record = json.loads(path.read_text())
    (row,) = record["exchanges"]
    expected = {
        "communicator": "0.1",
        "collective": "alltoall",
        "ranks": RANKS,
        "nodes": 1,
        "ranks_per_node": RANKS,
        "calls": CALLS,
        "longest_bytes": 4,
        "lengths": [{"blocks": CALLS * RANKS**2, "bytes": 4 * CALLS * RANKS**2}],
        "measured_calls": CALLS - 1,
    }
    got = {name: row[name] for name in expected}
    failures.expect(got == expected, f"the record has {got}, not {expected}", done)
    waited, seconds = by_hand(done)
    is_near = abs(row["waited_seconds"] - waited) < TOLERANCE * seconds
    failures.expect(is_near, f"waited {row['waited_seconds']}, by hand {waited}", done)
    arrivals = sum(one["calls"] for one in row["arrivals"])
    failures.expect(arrivals == CALLS - 1, f"{arrivals} arrivals", done)
    is_whole = (record["schema"], record["version"], record["ranks"]) == ("rondo record", 1, RANKS)
    is_whole = is_whole and 1 <= record["cores"] <= os.cpu_count()
    failures.expect(is_whole and record["run_seconds"] > 0.4, f"{record}", done)


def check_forms_record(failures, folder):
    """Every collective of exchanges.c has rows, neighbourhoods without waiting.

    With --ab nothing is measured.
    """
    for words in ((), ("--ab",)):
        path = folder / f"forms{len(words)}.json"
        done = run_ranks(options.exec, *words, "--record", path, options.c_program)
        failures.expect(done.returncode == 0 and path.exists(), "exchanges is recorded", done)
        rows = json.loads(path.read_text())["exchanges"]
        forms = {row["collective"] for row in rows}
        failures.expect({"alltoall", "alltoallv", "alltoallw"} <= forms, f"forms {forms}", done)
        for row in rows:
            measured = row["measured_calls"]
            is_never = words or row["collective"] == "neighbor_alltoallv"
            is_right = measured == 0 if is_never else 0 <= measured <= row["calls"]
            failures.expect(is_right, f"{row['collective']}: {measured} are measured", done)
            blocks = sum(one["blocks"] for one in row["lengths"])
            expected = row["calls"] * row["ranks"] ** 2
            failures.expect(blocks == expected, f"{blocks} blocks, not {expected}", done)


def run_with_variable_on(rank, variable):
    """`late` on all ranks, with a variable NAME=VALUE in the environment of one alone."""
    only = 'test "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = %s && export %s; exec "$@"'
    shell = ["sh", "-c", only % (rank, variable), "sh"]
    return run_ranks(*shell, options.exec, options.late, "never", 200, 0)


def check_disagreement(failures):
    """If only some ranks have RONDO_STATS, rank 0's decides whether calls are measured."""
    for rank in (0, RANKS - 1):
        done = run_with_variable_on(rank, "RONDO_STATS=1")
        failures.expect(done.returncode == 0, f"RONDO_STATS on rank {rank} alone", done)
        has_line = WAITING.search(done.stderr) is not None
        failures.expect(has_line == (rank == 0), f"a line on waiting: {has_line}", done)


def check_record_of_some(failures, folder):
    """If only some ranks have RONDO_RECORD, rank 0 writes what it can, and says what is missing."""
    for rank, says in (
        (0, "; the record lacks communicators whose rank 0 does not have it\n"),
        (RANKS - 1, ", but not on rank 0, so no record is written\n"),
    ):
        path = folder / f"only{rank}.json"
        done = run_with_variable_on(rank, f"RONDO_RECORD={path}")
        said = done.stderr.count(f"rondo: RONDO_RECORD is set on 1 of {RANKS} ranks{says}")
        failures.expect(done.returncode == 0 and said == 1, f"{said} lines, rank {rank}", done)
        failures.expect(path.exists() == (rank == 0), f"a record, rank {rank}", done)


def check_unwritable(failures, folder):
    """The program ends as always, and one line says what is lost."""
    path = folder / "none" / "late.json"
    done = run_ranks(options.exec, "--record", path, options.late, "never", 3, 0)
    said = done.stderr.count(f"rondo: cannot write the record: {path}: ")
    failures.expect(done.returncode == 0 and said == 1, f"{said} lines on what is lost", done)


def main():
    parse(__doc__, "exec", "c-program", "late")
    failures = Failures()
    for pattern in PATTERNS:
        check_waiting(failures, pattern)
    with tempfile.TemporaryDirectory(prefix="rondo-record-") as folder:
        check_late_record(failures, Path(folder))
        check_forms_record(failures, Path(folder))
        check_record_of_some(failures, Path(folder))
        check_unwritable(failures, Path(folder))
    check_disagreement(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
