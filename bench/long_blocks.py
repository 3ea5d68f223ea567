#!/usr/bin/env python3
"""Measure long blocks on one node again and again, for `summary.py --sizes --pool --cores`.

long_blocks.py --output FOLDER [--minutes M] [--bench FILE] [--ranks P ...] [--launch WORDS]

It writes FOLDER/on.json, where the MPI library copies a long message once, and FOLDER/off.json,
where it copies it twice, and appends to them if they exist. Every pass measures all exchanges in
another order. --launch is the command that starts ranks, before `-n P`, as in --launch "mpiexec";
then the file is FOLDER/launched.json.
"""

import argparse
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True  # the part lies in the source tree

from sizes import parse_sizes  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
EXCHANGES = [
    ("alltoall", "constant"),
    ("alltoallv", "constant"),
    ("alltoallv", "uniform"),
    ("alltoallv", "power:0.99"),
    ("alltoallw", "constant"),
]
# Sizes and samples: the longer the blocks, the fewer.
SIZES = [("1k,4k,16k,64k", 40), ("256k,1m", 12), ("4m", 5)]
MOST_BYTES = 1 << 30  # that all ranks send together


class Run(NamedTuple):
    collective: str
    distribution: str
    ranks: int
    sizes: str
    samples: int
    single_copy: str


def fits(run):
    return max(parse_sizes(run.sizes)) * run.ranks**2 <= MOST_BYTES


def all_runs(ranks, copies):
    runs = [
        Run(collective, distribution, count, sizes, samples, copy)
        for collective, distribution in EXCHANGES
        for count in ranks
        for sizes, samples in SIZES
        for copy in copies
    ]
    return [run for run in runs if fits(run)]


def measure(run, bench, launch):
    """The rows of one run; exits if it fails."""
    start = launch or [ROOT / "tools/mpirun", "--single-copy", run.single_copy]
    words = [*start, "-n", run.ranks, bench, run.collective, "--distribution", run.distribution]
    words += ["--algorithm", "mpi,auto", "--bytes", run.sizes, "--iterations", run.samples]
    words += ["--warmup", 20, "--learn", 0, "--format", "json", "--quiet"]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"long_blocks: status {done.returncode} of {shlex.join(map(str, words))}")
    return done.stdout


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--bench", type=Path, default=ROOT / "build/bin/rondo-bench")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16])
    parser.add_argument("--launch", type=shlex.split)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    end = time.monotonic() + 60 * arguments.minutes
    arguments.output.mkdir(parents=True, exist_ok=True)
    runs = all_runs(arguments.ranks, ["launched"] if arguments.launch else ["on", "off"])
    passes = 0
    while time.monotonic() < end:
        random.Random(passes).shuffle(runs)
        for run in runs:
            if time.monotonic() > end:
                break
            rows = measure(run, arguments.bench, arguments.launch)
            with (arguments.output / f"{run.single_copy}.json").open("a", encoding="utf-8") as file:
                file.write(rows)
        passes += 1
    print(f"long_blocks: {passes} passes of {len(runs)} runs begun", file=sys.stderr)


if __name__ == "__main__":
    main()
