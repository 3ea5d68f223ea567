#!/usr/bin/env python3
"""Lets ranks wait for one that is missing, again and again: the right one must be named in time.

check_watch.py [--runs 1000] --family openmpi --linked PROGRAM --plain PROGRAM --exec RONDO_EXEC
    --mpirun tools/mpirun

Eight ranks, on one node and on four pretended ones in turn. Each run of a kind is a job of its own,
with a victim, an algorithm and a number of calls before that are drawn at random. Several jobs run
at a time, since most of their time they wait. Then 200 quiet exchanges for each run, in which
ranks are late by less: nothing may be said.
"""

import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import calling
from calling import Failures, options
from watched_test import ENDED, IDLE, OTHER_FUNCTION, STOPPED, WATCH, Job, Row

RANKS = 8
NODE_RANKS = (0, 2)  # 0: all ranks are on one node
JOBS = 4
LATEST = 1.0  # seconds after the time that a block comes
KINDS = {
    "late": IDLE,
    "stopped": STOPPED,
    "killed": ENDED,
    "other_form": r"calls \w+ where this rank calls \w+",
    "other_comm": r"in exchange \d+ on the second one: .*",
}
ALGORITHMS = ["node_aware", "spread_out", "mpi", "auto"]
QUIET_SECONDS = 40
QUIET_EXCHANGES = 200  # for each run of each kind
QUIET_WATCH = "1s"


def row_of(kind, node_ranks, chance):
    variables = {}
    algorithm = chance.choice(ALGORITHMS)
    reason, lines = KINDS[kind], []
    if kind == "other_form":  # of two ranks on a node either may say it of the other
        reason, lines = "", [rf"missing: rank \d+ .*: {KINDS[kind]}$"]
        algorithm = "node_aware"
        variables = {"RONDO_ALLTOALL": "tunable_bruck"}
    return Row(
        f"{kind}, {node_ranks or RANKS} ranks a node",
        kind,
        reason,
        lines,
        ranks=RANKS,
        victim=chance.randrange(RANKS),
        calls=chance.randrange(1, 60),
        seconds=3,
        node_ranks=node_ranks,
        algorithm=algorithm,
        variables=variables,
        ends=kind == "late",
    )


def is_right(row):
    """Whether the victim, and nobody else, is named in time; and what was said."""
    # Ranks that call different functions may wait, or take each other's messages for their own,
    # which is an error that ends the job.
    ends = {"RONDO_MPIRUN_ARGUMENTS": ""} if row.case == "other_form" else {}
    with Job(row, **ends) as job:
        job.wait_for(row.expected(), row.blocks)
        text = job.text()
    if row.case == "other_form" and OTHER_FUNCTION in text:
        return True, text
    waited = [float(seconds) for seconds in re.findall(r"has waited for ([\d.]+) s", text)]
    patience = float(WATCH.removesuffix("ms")) / 1000
    is_in_time = bool(waited) and all(seconds < patience + LATEST for seconds in waited)
    blamed = re.findall(r"missing: rank (\d+) ", text)
    if row.case == "other_form":  # who tells of it may be either of the two
        pair = re.search(r"missing: .*: calls (\w+) where this rank calls (\w+)$", text, re.M)
        return is_in_time and bool(pair) and {*pair.groups()} == {"alltoall", "alltoallv"}, text
    # Whoever is on another communicator sees that the others are not there.
    names_others = row.case != "other_comm" and set(blamed) != {str(row.victim)}
    has_reason = bool(re.search(row.expected()[-1], text, re.M))
    return is_in_time and has_reason and not names_others, text


def count_quiet(wanted):
    """How many exchanges there were, and what was said."""
    row = Row("quiet", "quiet", ranks=RANKS, seconds=QUIET_SECONDS, blocks=0, ends=True)
    exchanges = 0
    while exchanges < wanted:
        with Job(row, RONDO_WATCH=QUIET_WATCH) as job:
            if not job.ends_well():
                return exchanges, f"it does not end well\n{job.text()}"
            if job.said():
                return exchanges, job.text()
            exchanges += int(re.search(r"(\d+) exchanges", job.text())[1])
    return exchanges, ""


def check_kind(failures, kind, chance, runs):
    rows = [row_of(kind, NODE_RANKS[run % len(NODE_RANKS)], chance) for run in range(runs)]
    right = errors = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for row, (is_so, text) in zip(rows, pool.map(is_right, rows)):
            right += is_so
            errors += OTHER_FUNCTION in text
            failures.expect(is_so, f"{row}\n{text}")
    ended = f", {errors} of them ended by an error that says so" if errors else ""
    print(f"{kind}: {right} of {runs}{ended}", flush=True)


def main():
    words = sys.argv[1:]
    runs = 1000
    if words[:1] == ["--runs"]:
        runs = int(words[1])
        del sys.argv[1:3]
    calling.parse(__doc__, "linked", "plain", "exec", optional=("family",))
    options.family = str(options.family)
    seed = calling.seed()
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    failures = Failures()
    for kind in KINDS:
        check_kind(failures, kind, chance, runs)
    exchanges, said = count_quiet(QUIET_EXCHANGES * runs * len(KINDS))
    failures.expect(not said, f"after {exchanges} quiet exchanges: {said}")
    print(f"{exchanges} quiet exchanges")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
