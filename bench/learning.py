#!/usr/bin/env python3
"""What it costs that `auto` learns while a program runs, and how it follows changes.

learning.py regret --launcher "tools/mpirun -n {ranks}" --build build --output regret.json
learning.py drift --launcher "tools/mpirun -n {ranks}" --build build --output drift.json
learning.py table regret.json drift.json
learning.py figure regret.json --output docs/figures/learning.svg

`regret` starts `auto` on a new communicator with a profile that is wrong on purpose, and counts all
calls from the first one, which is forwarded. The first choice, the MPI library's own call and the
fastest of all algorithms in short runs take part as well, each on a communicator of its own, and
all run interleaved, iteration by iteration. The regret of n calls is the sum of the first n times
of `auto` over that of the best in as many calls, less 1. The best has the least median over the odd
iterations. Block lengths are those of rondo-bench's defaults.

`drift` starts `auto` without a profile. In the middle of the run the ranks move onto one core, and
back later. It tells after how many calls `auto` tries other algorithms, and changes.

`table` prints both as Markdown, and `figure` draws the first. In the regrets that they show, a call
that was disturbed counts as at most 4 times the median of the calls of the same algorithm; the last
column has the regrets with all times as they were. `figure` needs the Python package and
matplotlib. Exit status: 0; 2 for wrong use and for runs that fail.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the parts lie in the source tree

import regret_lib  # noqa: E402, F401
from learning_lib import cells, runs, tables  # noqa: E402
from learning_lib.calls import PARTS  # noqa: E402
from regret_lib import race  # noqa: E402
from regret_lib.candidates import AUTO, MPI  # noqa: E402

WRONG = 2
PATIENCE = 3600  # seconds after which a run is ended


def parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def describe_runs(parser: argparse.ArgumentParser, usual: list[str], calls: int) -> None:
    parser.add_argument(
        "--launcher",
        required=True,
        help="starts the ranks, as in 'tools/mpirun -n {ranks}'; it must pass RONDO_PROFILE and "
        "RONDO_LEARN on, and the profile lies beside --output",
    )
    parser.add_argument("--build", required=True, type=Path, help="has bin/rondo-bench")
    parser.add_argument(
        "--cell",
        type=cells.parse_cell,
        action="append",
        metavar="CELL",
        help=f"may be repeated (default: {'; '.join(usual)})",
    )
    parser.add_argument(
        "--calls", type=parse_number, default=calls, help="of a run (default: %(default)s)"
    )
    parser.add_argument(
        "--runs", type=parse_number, default=7, help="of a cell (default: %(default)s)"
    )
    parser.add_argument("--output", type=Path, required=True, help="JSON, one object a line")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    regret = commands.add_parser("regret", help="measure the regret from the first call on")
    regret.set_defaults(function=measure_regret)
    describe_runs(regret, cells.WRONG_FIRST, 10000)
    drift = commands.add_parser("drift", help="measure how `auto` follows a move of the ranks")
    drift.set_defaults(function=measure_drift)
    describe_runs(drift, cells.DRIFTING, 9000)
    table = commands.add_parser("table", help="print what was measured")
    table.set_defaults(function=print_tables)
    table.add_argument("files", nargs="+", type=Path, metavar="FILE")
    figure = commands.add_parser("figure", help="draw the regret over the calls")
    figure.set_defaults(function=draw_figure)
    figure.add_argument("files", nargs="+", type=Path, metavar="FILE")
    figure.add_argument(
        "--output", nargs="+", type=Path, required=True, help="each as its suffix says"
    )
    return parser.parse_args()


def say(sentence: str) -> None:
    print(f"learning: {sentence}", file=sys.stderr, flush=True)


def launcher_of(arguments: argparse.Namespace, cell: cells.Learned) -> list[str]:
    return shlex.split(arguments.launcher.replace("{ranks}", str(cell.ranks)))


def bench_of(arguments: argparse.Namespace, cell: cells.Learned, seed: int) -> race.Bench:
    program = arguments.build / "bin/rondo-bench"
    if not program.is_file():
        raise race.RaceError(f"{program} is not there; `make build` makes it")
    launcher = launcher_of(arguments, cell)
    return race.Bench(launcher, str(program.resolve()), cell.collective, seed, PATIENCE)


def let_auto_learn() -> None:
    """With nothing else of the environment, and no profile yet."""
    for name in [name for name in os.environ if name.startswith("RONDO_")]:
        if name != "RONDO_MPIRUN_ARGUMENTS":
            del os.environ[name]
    os.environ["RONDO_LEARN"] = "1"


def cells_of(arguments: argparse.Namespace, usual: list[str]) -> list[cells.Learned]:
    return arguments.cell or [cells.parse_cell(text) for text in usual]


def measure_regret(arguments: argparse.Namespace) -> int:
    profile = arguments.output.with_suffix(".profile.json").resolve()
    with arguments.output.open("w", encoding="utf-8") as file:
        for cell in cells_of(arguments, cells.WRONG_FIRST):
            if not cell.first:
                raise race.RaceError(f"{cell.title()}: which first choice?")
            let_auto_learn()
            names = runs.contenders(bench_of(arguments, cell, seed=1), cell)
            tune = arguments.build.resolve() / "bin/rondo-tune"
            cells.write_profile(launcher_of(arguments, cell), tune, profile, cell)
            os.environ["RONDO_PROFILE"] = str(profile)
            say(f"{cell.title()}: {', '.join(names)}")
            measure_cell(arguments, "regret", cell, names, None, file)
    return 0


def measure_drift(arguments: argparse.Namespace) -> int:
    let_auto_learn()
    one_core = [arguments.calls // 3, arguments.calls // 3 * 2]
    with arguments.output.open("w", encoding="utf-8") as file:
        for cell in cells_of(arguments, cells.DRIFTING):
            names = [MPI, AUTO, *cells.DRIFTERS[cell.collective]]
            measure_cell(arguments, "drift", cell, names, one_core, file)
    return 0


def measure_cell(arguments, kind, cell, names, one_core, file) -> None:
    more = ["--one-core", ":".join(map(str, one_core))] if one_core else []
    for number in range(1, arguments.runs + 1):
        start = time.monotonic()
        bench = bench_of(arguments, cell, seed=number)
        rows = runs.measure(bench, cell, names, arguments.calls, *more)
        run = runs.Run({row["algorithm"]: row for row in rows})
        if cell.first:
            run.check_first(cell.first)
        file.write(runs.to_lines(kind, number, cell, one_core, rows))
        file.flush()
        took = time.monotonic() - start
        say(f"{cell.title()}: run {number} of {arguments.runs}; {took:.0f} s")


def print_tables(arguments: argparse.Namespace) -> int:
    regrets = runs.read(arguments.files, "regret")
    drifts = runs.read(arguments.files, "drift")
    if not regrets and not drifts:
        raise race.RaceError("no rows; `learning.py regret` and `drift` write them")
    if regrets:
        print("### Regret from the first call on\n")
        print(tables.cells_table(regrets))
        print(tables.regret_table(regrets))
        for part, meaning in PARTS.items():
            print(f"- {part}: {meaning}.")
    if drifts:
        print("\n### Ranks that move\n")
        print(tables.drift_table(drifts))
    return 0


def draw_figure(arguments: argparse.Namespace) -> int:
    from learning_lib import figure  # which needs matplotlib

    figure.draw(runs.read(arguments.files, "regret"), arguments.output)
    return 0


def main() -> int:
    arguments = parse_arguments()
    try:
        return arguments.function(arguments)
    except (race.RaceError, OSError, ValueError, ImportError) as error:
        say(str(error))
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
