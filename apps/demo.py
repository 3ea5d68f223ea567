#!/usr/bin/env python3
"""Compare the exchanges of four programs with the MPI library's own calls and with Rondo.

demo.py --build build
demo.py --build build --mpirun "mpirun --oversubscribe" --ranks 8,32
"""

import argparse
import os
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import demos  # noqa: E402
from demos import say  # noqa: E402
from text_tables import columns  # noqa: E402

ARMS = ["mpi", "auto"]

# Program, arguments, and the name of the input in the table.
RUNS = [
    ("rondo-fft", ["--blocks", "1", "--iterations", "100"], "N = P^2"),
    ("rondo-fft", ["--blocks", "64", "--iterations", "100"], "N = 64 P^2"),
    ("rondo-fft", ["--size", "32x32x32", "--iterations", "50"], "32x32x32"),
    ("rondo-closure", ["--generate", "road:5000"], "road:5000"),
    ("rondo-kcfa", ["--generate", "worst:6,2", "--k", "2"], "worst:6,2"),
    ("rondo-spmv", ["--generate", "27-point:32x32x32"], "27-point:32^3"),
]
LEGEND = """fft: Fourier transforms, of N points or of a cube. closure: which places can be
reached from which in a network of 5000 one-way streets. kcfa: control-flow
analysis of a worst case of 6 variables, k = 2. spmv: 100 products of a matrix
and a vector, for a stencil on a cube."""


class Cost(NamedTuple):
    """The cost of one program with one input."""

    program: str
    what: str
    ranks: int
    report: dict

    def milliseconds(self, arm: str, which: str) -> float:
        runs = self.arm(arm)["runs"]
        return 1e3 * statistics.median(run[f"{which}_seconds"] for run in runs)

    def speedup(self, which: str) -> str:
        """The ratio of the medians, with its 95% interval if there are several runs."""
        speedup = self.arm("auto")[f"{which}_speedup"]
        if speedup["low"] is None:
            return f"{speedup['ratio']:.2f}"
        return f"{speedup['ratio']:.2f} ({speedup['low']:.2f}-{speedup['high']:.2f})"

    def arm(self, name: str) -> dict:
        return next(arm for arm in self.report["arms"] if arm["algorithm"] == name)


def parse_arguments() -> argparse.Namespace:
    parser = demos.make_parser(__doc__, [min(32, max(8, os.cpu_count() or 1))])
    parser.add_argument(
        "--repeat", type=int, default=5, help="runs with each algorithm (default: %(default)s)"
    )
    return parser.parse_args()


def costs_of(arguments: argparse.Namespace, ranks: int) -> list[Cost]:
    costs = []
    for program, options, what in RUNS:
        path = arguments.build / "bin" / program
        if not path.is_file():
            print(f"skipped: {path} does not exist (rondo-fft needs FFTW 3)")
            continue
        launcher = [*arguments.mpirun, "-n", str(ranks)]
        ways = [
            "--algorithm",
            ",".join(ARMS),
            "--repeat",
            str(arguments.repeat),
            "--meet",
            "--quiet",
        ]
        reports = demos.run([*launcher, str(path.resolve()), *options, *ways, "--format", "json"])
        costs.append(Cost(program, what, ranks, reports[-1]))
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
    print(columns(lines, {2, 3, 4}), end="")


def main() -> None:
    arguments = parse_arguments()
    costs = [cost for ranks in arguments.ranks for cost in costs_of(arguments, ranks)]
    print()
    say(
        "Median time of the exchanges of a run on P ranks, with the MPI library's own calls (mpi) "
        "and with Rondo's choice (auto), which run in turn. The last two columns show how many "
        "times faster Rondo made the exchanges and the whole run, as ratios of medians."
    )
    if arguments.repeat == 1:
        say("Each ran once, so differences may be due to chance and there are no intervals.")
    else:
        say(
            f"In brackets: 95% intervals over {arguments.repeat} runs with each; an "
            "interval that contains 1 shows no significant difference."
        )
    demos.say_sharing(max(arguments.ranks))
    print(LEGEND)
    print()
    print_table(costs)


if __name__ == "__main__":
    main()
