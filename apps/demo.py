#!/usr/bin/env python3
"""What the exchanges of three programs cost with the MPI library's own calls, and with Rondo.

demo.py --build build
demo.py --build build --mpirun "mpirun --oversubscribe" --ranks 8,32
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

MPIRUN = Path(__file__).resolve().parent.parent / "tools" / "mpirun"
ARMS = ["mpi", "auto"]

# A program, what it is given, and what the table calls that.
RUNS = [
    ("rondo-fft", ["--blocks", "1", "--iterations", "100"], "1-D, N = P^2"),
    ("rondo-fft", ["--blocks", "64", "--iterations", "100"], "1-D, N = 64 P^2"),
    ("rondo-fft", ["--size", "32x32x32", "--iterations", "50"], "3-D, 32 x 32 x 32"),
    ("rondo-closure", ["--generate", "road:5000"], "road of 5000 vertices"),
    ("rondo-kcfa", ["--generate", "worst:6,2", "--k", "2"], "worst case of 6 variables, k = 2"),
]


class Cost(NamedTuple):
    """Of one program with one input, the medians of its runs."""

    program: str
    what: str
    ranks: int
    report: dict

    def milliseconds(self, arm: str, which: str) -> float:
        runs = self.arm(arm)["runs"]
        return 1e3 * statistics.median(run[f"{which}_seconds"] for run in runs)

    def speedup(self, which: str) -> float:
        return self.arm("auto")[f"{which}_speedup"]["median"]

    def arm(self, name: str) -> dict:
        return next(arm for arm in self.report["arms"] if arm["algorithm"] == name)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build", type=Path, default=Path("build"), help="build tree (default: build)"
    )
    parser.add_argument(
        "--mpirun", default=str(MPIRUN), help="command that starts ranks, with its options"
    )
    parser.add_argument(
        "--ranks",
        default=str(min(32, max(8, os.cpu_count() or 1))),
        help="numbers of ranks (default: %(default)s)",
    )
    parser.add_argument(
        "--repeat", type=int, default=5, help="runs of each way (default: %(default)s)"
    )
    return parser.parse_args()


def run(command: list[str]) -> dict:
    """What the program reports; its errors end the demo."""
    print(f"$ {shlex.join(command)}", flush=True)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"demo: the run ended with exit status {result.returncode}")
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1])  # launchers may talk on the same stream


def costs_of(arguments: argparse.Namespace, ranks: int) -> list[Cost]:
    costs = []
    for program, options, what in RUNS:
        path = arguments.build / "bin" / program
        if not path.is_file():
            print(f"left out: {path} is not there (rondo-fft needs FFTW 3)")
            continue
        launcher = [*shlex.split(arguments.mpirun), "-n", str(ranks)]
        ways = ["--compare", ",".join(ARMS), "--repeat", str(arguments.repeat), "--meet"]
        report = run([*launcher, str(path.resolve()), *options, *ways, "--format", "json"])
        costs.append(Cost(program, what, ranks, report))
    return costs


def print_table(costs: list[Cost]) -> None:
    lines = [["program", "input", "ranks", "exchange ms: mpi", "auto", "times", "whole run: times"]]
    for cost in costs:
        lines.append(
            [
                cost.program,
                cost.what,
                str(cost.ranks),
                *(f"{cost.milliseconds(arm, 'exchange'):.2f}" for arm in ARMS),
                f"{cost.speedup('exchange'):.2f}x",
                f"{cost.speedup('total'):.2f}x",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        words = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        print("  ".join(words).rstrip())


def main() -> None:
    arguments = parse_arguments()
    costs = [
        cost for ranks in arguments.ranks.split(",") for cost in costs_of(arguments, int(ranks))
    ]
    print("\nWhat the exchanges of a run took, with the MPI library's own calls and with Rondo's")
    print("choice, one run each way in turn; and how many times faster that made them and the run.")
    cores = os.cpu_count() or 1
    if any(cost.ranks > cores for cost in costs):
        print(f"Ranks share {cores} cores: what is measured is messages and switches.")
    print()
    print_table(costs)


if __name__ == "__main__":
    main()
