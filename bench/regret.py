#!/usr/bin/env python3
"""The regret of `auto`: how much slower it is than the best of all that is worth running.

regret.py run --launcher "tools/mpirun -n 8" --bench build/bin/rondo-bench --output 8.json
regret.py run --launcher "tools/cluster run --ranks-per-node 8 --" --bench build/bin/rondo-bench \\
  --output 4x8.json
regret.py table 8.json 4x8.json

regret.py run --learn 500 --collective alltoallw --bytes 1,64,1k,16k,256k,4m ...

`run` searches cell by cell, a cell being a distribution and a block size S. All candidates (those
that rondo-bench --variants prints) compete in short runs, which throw out those that take more
than twice as long as the best beyond doubt; all others, `mpi` and `auto` then run interleaved,
iteration by iteration. --output gets the rows of these last runs, with all samples, and of each
cell a record of what was thrown out: times over the MPI library's, with their 95% intervals. With
--learn `auto` makes so many calls by itself before the last run, in which it goes on learning.

`table` prints the regrets as Markdown. The best is chosen on the odd iterations and the regret
taken on the even ones: chosen and judged by the same samples, the least of many noisy medians
would be too good to be true, and the regret too large. A cell breaks a limit only if the whole 95%
interval, of a bootstrap over iterations, is beyond it. Exit status: 0; 1 if a limit is broken; 2
for wrong use and for runs that fail.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the parts lie in the source tree

from regret_lib import race, table  # noqa: E402
from regret_lib.candidates import Cell, Shape, blocks_of, is_tuned  # noqa: E402
from regret_lib.verdict import judge  # noqa: E402
from sizes import parse_size, parse_sizes  # noqa: E402

COLLECTIVES = [
    *["alltoall", "alltoallv", "alltoallw", "alltoallv_dynamic", "sparse_alltoallv"],
    *["neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"],
]
BYTES = "16,64,256,1k,4k,32k"
EDGES = "stencil:7,sparse:4"
DISTRIBUTIONS = "uniform,power:0.99,normal,constant"
BROKEN = 1
WRONG = 2


def parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def describe_run(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=run)
    parser.add_argument(
        "--launcher", required=True, help="starts the ranks, as in 'tools/mpirun -n 8'"
    )
    parser.add_argument("--bench", required=True, type=Path, help="rondo-bench")
    parser.add_argument(
        "--collective",
        choices=COLLECTIVES,
        default="alltoallv",
        help="(default: %(default)s)",
    )
    parser.add_argument(
        "--bytes", type=parse_sizes, default=BYTES, help="block sizes (default: %(default)s)"
    )
    parser.add_argument(
        "--distributions",
        help=f"of block lengths (default: {DISTRIBUTIONS}; of alltoall: constant; along edges and "
        f"with few partners: {EDGES})",
    )
    parser.add_argument(
        "--seconds",
        type=parse_number,
        default=60,
        help="about as long for each cell, but not less than "
        f"{race.LEAST_ITERATIONS} iterations (default: %(default)s)",
    )
    parser.add_argument(
        "--most",
        type=parse_number,
        default=race.MOST_CANDIDATES,
        help="candidates of a run, of the last one the quickest of the short runs; each needs "
        "up to 192 KiB of shared memory for every pair of ranks (default: %(default)s)",
    )
    parser.add_argument(
        "--learn",
        type=parse_number,
        default=0,
        metavar="CALLS",
        help="that `auto` makes before the run that counts; fewer where they would take longer "
        "than --seconds (default: none)",
    )
    parser.add_argument(
        "--most-bytes",
        type=parse_size,
        default="1024m",
        help="cells in which all ranks together send more are left out (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=parse_number, default=1, help="for rondo-bench (default: %(default)s)"
    )
    parser.add_argument("--output", type=Path, required=True, help="JSON, one object a line")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    describe_run(commands.add_parser("run", help="search and measure"))
    judging = commands.add_parser("table", help="judge what was measured")
    judging.set_defaults(function=print_verdict)
    judging.add_argument("files", nargs="+", type=Path, metavar="FILE")
    return parser.parse_args()


def cells_of(arguments: argparse.Namespace) -> list[Cell]:
    usual = "constant" if arguments.collective == "alltoall" else DISTRIBUTIONS
    if not is_tuned(arguments.collective):
        usual = EDGES
    distributions = arguments.distributions or usual
    return [
        Cell(distribution, size)
        for distribution in distributions.split(",")
        for size in arguments.bytes
    ]


def bench_of(arguments: argparse.Namespace) -> race.Bench:
    if not arguments.bench.is_file():
        raise race.RaceError(f"{arguments.bench} is not there; `make build` makes it")
    return race.Bench(
        launcher=shlex.split(arguments.launcher),
        program=str(arguments.bench.resolve()),
        collective=arguments.collective,
        seed=arguments.seed,
        patience=300 + 10 * arguments.seconds,
    )


def say(sentence: str) -> None:
    print(f"regret: {sentence}", file=sys.stderr, flush=True)


def summary(result: race.Result) -> str:
    """Of a cell, for whoever watches."""
    samples = {row["algorithm"]: row["samples_us"] for row in result.rows}
    verdict = judge(samples)
    count = result.record["candidates"]
    iterations = result.rows[0]["iterations"]
    learned = result.record["learned_calls"]
    return (
        f"{count} candidates, {len(samples) - 1} in the last run of {iterations} iterations"
        f"{f' after {learned} calls' if learned else ''}; best {verdict.best}, regret "
        f"{verdict.regret.title()}, slower than the MPI library by {verdict.slowdown.title()}"
    )


def fits(cell: Cell, shape: Shape, most_bytes: int) -> bool:
    return cell.bytes * blocks_of(cell, shape.ranks) <= most_bytes


def run(arguments: argparse.Namespace) -> int:
    bench, cells = bench_of(arguments), cells_of(arguments)
    entered = race.look_around(bench, cells[0].distribution)
    shape, algorithms = entered
    fitting = [cell for cell in cells if fits(cell, shape, arguments.most_bytes)]
    for cell in cells:
        if cell not in fitting:
            say(f"{cell.title()} is left out: all ranks send more than --most-bytes")
    effort = race.Effort(arguments.seconds, arguments.most, arguments.learn)
    say(f"{bench.collective}, {shape.title()}: {len(algorithms)} algorithms, {len(fitting)} cells")
    with arguments.output.open("w", encoding="utf-8") as file:
        for number, cell in enumerate(fitting, 1):
            start = time.monotonic()
            result = race.race(bench, entered, cell, effort)
            file.writelines(json.dumps(row) + "\n" for row in [result.record, *result.rows])
            file.flush()
            took = time.monotonic() - start
            say(f"{number} of {len(fitting)}, {cell.title()}: {summary(result)}; {took:.0f} s")
    return 0


def print_learned(files: list[Path]) -> None:
    """How many calls `auto` learned from, and where they were fewer."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    learned = table.learned_calls(lines)
    if not learned:
        return
    most = max(learned.values())
    fewer = [f"{place.title()}: {calls}" for place, calls in learned.items() if calls != most]
    print(f"- `auto` learned from {most} calls; from fewer: {'; '.join(fewer) or 'nowhere'}.")


def print_verdict(arguments: argparse.Namespace) -> int:
    verdicts = table.judge_all(arguments.files)
    for collective in dict.fromkeys(place.collective for place in verdicts):
        print(f"### Regret of `auto`, {collective}\n")
        print(table.table_of(verdicts, collective))
        print(f"### Time of `auto` over the MPI library's, {collective}\n")
        print(table.table_of(verdicts, collective, table.slowdown_text))
    print_learned(arguments.files)
    limits = table.limits(verdicts)
    for limit in limits:
        print(f"- {'holds' if limit.holds else 'BROKEN'}: {limit.sentence}.")
    return 0 if all(limit.holds for limit in limits) else BROKEN


def main() -> int:
    arguments = parse_arguments()
    try:
        return arguments.function(arguments)
    except KeyError as missing:
        say(f"a row without {missing}: rondo-bench writes samples with --samples")
    except (race.RaceError, OSError, ValueError) as error:
        say(str(error))
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
