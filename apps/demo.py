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

ROOT = Path(__file__).resolve().parent.parent
MPIRUN = ROOT / "tools" / "mpirun"

sys.path.insert(0, str(ROOT / "bench"))
from demo_text import print_columns, print_command, say  # noqa: E402

ARMS = ["mpi", "auto"]

# A program, what it is given, and what the table calls that.
RUNS = [
    ("rondo-fft", ["--blocks", "1", "--iterations", "100"], "N = P^2"),
    ("rondo-fft", ["--blocks", "64", "--iterations", "100"], "N = 64 P^2"),
    ("rondo-fft", ["--size", "32x32x32", "--iterations", "50"], "32x32x32"),
    ("rondo-closure", ["--generate", "road:5000"], "road:5000"),
    ("rondo-kcfa", ["--generate", "worst:6,2", "--k", "2"], "worst:6,2"),
]
LEGEND = """fft: Fourier transforms, of N points or of a cube. closure: which places can be
reached from which in a network of 5000 one-way streets. kcfa: control-flow
analysis of a worst case of 6 variables, k = 2."""


class Cost(NamedTuple):
    """Of one program with one input."""

    program: str
    what: str
    ranks: int
    report: dict

    def milliseconds(self, arm: str, which: str) -> float:
        runs = self.arm(arm)["runs"]
        return 1e3 * statistics.median(run[f"{which}_seconds"] for run in runs)

    def speedup(self, which: str) -> str:
        """The ratio of the medians, with its 95% interval where there are several runs."""
        speedup = self.arm("auto")[f"{which}_speedup"]
        if speedup["low"] is None:
            return f"{speedup['ratio']:.2f}"
        return f"{speedup['ratio']:.2f} ({speedup['low']:.2f}-{speedup['high']:.2f})"

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
    print_command(command)
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
        ways = ["--compare", ",".join(ARMS), "--repeat", str(arguments.repeat), "--meet", "--quiet"]
        report = run([*launcher, str(path.resolve()), *options, *ways, "--format", "json"])
        costs.append(Cost(program, what, ranks, report))
    return costs


def print_table(costs: list[Cost]) -> None:
    lines = [["program", "input", "P", "mpi ms", "auto ms", "exchanges", "whole run"]]
    for cost in costs:
        lines.append(
            [
                cost.program.removeprefix("rondo-"),
                cost.what,
                str(cost.ranks),
                *(f"{cost.milliseconds(arm, 'exchange'):.2f}" for arm in ARMS),
                cost.speedup("exchange"),
                cost.speedup("total"),
            ]
        )
    print_columns(lines, {2, 3, 4})


def main() -> None:
    arguments = parse_arguments()
    costs = [
        cost for ranks in arguments.ranks.split(",") for cost in costs_of(arguments, int(ranks))
    ]
    print()
    say(
        "What the exchanges of a run took on P ranks, in the median: with the MPI library's own "
        "calls and with Rondo's choice, one run each way in turn. Then how many times faster that "
        "made the exchanges and the whole run: ratios of medians."
    )
    if arguments.repeat == 1:
        say("Each was run once: differences may be chance, and there are no intervals.")
    else:
        say(
            f"In brackets: 95% intervals over {arguments.repeat} runs each way; where 1 lies "
            "inside, no difference can be told."
        )
    cores = os.cpu_count() or 1
    if any(cost.ranks > cores for cost in costs):
        say(f"Ranks share {cores} cores: what is measured is messages and switches.")
    print(LEGEND)
    print()
    print_table(costs)


if __name__ == "__main__":
    main()
