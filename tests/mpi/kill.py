#!/usr/bin/env python3
"""Kill ranks in the middle of exchanges: no process of the job and no file in /dev/shm must stay.

kill.py [--all] [--long] [--runs N] [--seed N] LAUNCHER... PROGRAM
    as in kill.py tools/mpirun -n 4 build/bin/test_kill

Half of the runs have no memfd, so that the segment has a name in /dev/shm until all ranks have
opened it; these are killed only after that. The others make communicators all the time, and are
also killed in the middle of that.

With --long one rank is killed in the middle of an exchange of long blocks, which half of the runs
pull from their senders' memory and the others move through the segment in pieces.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import calling
from calling import Failures, processes_with, wait_until
from environment import private_environment

SHM = Path("/dev/shm")
SOME_SECONDS = 60
START_SECONDS = 300  # of a job on a busy machine
RUNS = 4
ALL_RUNS = 200
TOLD_RUNS = 20  # after which it tells how far it is
CANNOT_PULL = "cannot pull"
# How a run goes: the segment's kind, what the program does, who is killed.
MANY = [
    ("memfd", "renew", "one"),
    ("name", "mixed", "one"),
    ("memfd", "renew", "all"),
    ("name", "mixed", "all"),
]
LONG = [("memfd", "pulled", "one"), ("memfd", "pieces", "one")]


def names():
    return {path.name for path in SHM.glob("rondo-*")}


def ranks_of(token, program):
    return [pid for pid, line in processes_with(token).items() if line.startswith(program)]


def send_kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def wait_for_exchange(job, output):
    return wait_until(
        lambda: "exchanging" in output.read_text() or job.poll() is not None, START_SECONDS
    )


def strike(job, command, token, victim, chance):
    """Kill one rank or the whole job; says whether there was something to kill."""
    program = command[-1]
    if not wait_until(lambda: ranks_of(token, program) or job.poll() is not None, START_SECONDS):
        return False
    ranks = ranks_of(token, program)
    if not ranks:
        return False
    if victim == "one":
        send_kill([chance.choice(ranks)])
    else:
        # New ones may be on their way while the first ones die.
        while job.poll() is None or processes_with(token):
            send_kill(processes_with(token))
            time.sleep(0.01)
    return True


def run(command, way, chance, folder):
    """What is wrong after a run, or None."""
    kind, mode, victim = way
    token = f"rondo-kill-{os.getpid()}-{chance.getrandbits(48):x}"
    before = names()
    output = Path(folder) / "output"
    environment = private_environment(folder)
    with output.open("w") as file:
        job = subprocess.Popen(
            [*command, token, kind, mode], stdout=file, stderr=subprocess.STDOUT, env=environment
        )
    try:
        # A name is there for a moment while a communicator is made: nobody could remove it then.
        # And Open MPI's launcher can wait for ever for the one rank that dies before MPI_Init.
        may_start = mode == "renew" and victim == "all" and chance.random() < 0.5
        if not may_start and not wait_for_exchange(job, output):
            return "it never exchanged"
        if CANNOT_PULL in output.read_text():
            return CANNOT_PULL
        time.sleep(chance.uniform(0, 0.4))
        if not strike(job, command, token, victim, chance):
            return f"no rank was there to be killed: {output.read_text()}"
        if not wait_until(
            lambda: job.poll() is not None and not processes_with(token), SOME_SECONDS
        ):
            return f"these live on: {processes_with(token)}"
        # Files of others' may come and go meanwhile.
        if not wait_until(lambda: names() <= before, SOME_SECONDS):
            return f"left in {SHM}: {names() - before}"
        return "it ended well" if job.returncode == 0 else None
    finally:
        send_kill(processes_with(token))
        job.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help=f"{ALL_RUNS} runs, not {RUNS}")
    parser.add_argument("--long", action="store_true", help="in the middle of long blocks")
    parser.add_argument("--runs", type=int, help="another number of runs")
    parser.add_argument("--seed", type=int, help="as printed by an earlier run")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    seed = calling.seed() if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    runs = options.runs or (ALL_RUNS if options.all else RUNS)
    ways = LONG if options.long else MANY
    failures = Failures()
    killed = Counter()
    for number in range(runs):
        way = ways[number % len(ways)]
        chance = random.Random(f"{seed} {number}")
        with tempfile.TemporaryDirectory(prefix="rondo-kill-", dir="/tmp") as folder:
            wrong = run(options.command, way, chance, folder)
        if (number + 1) % TOLD_RUNS == 0:
            print(f"{number + 1} of {runs}", flush=True)
        if wrong == CANNOT_PULL:
            continue
        killed[way] += 1
        kind, mode, victim = way
        failures.expect(wrong is None, f"run {number}, {kind}, {mode}, killed {victim}: {wrong}")
    for way in ways:
        print(f"killed {killed[way]} times: {', '.join(way)}")
        if not killed[way]:
            print("  left out: no rank may read another's memory here")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
