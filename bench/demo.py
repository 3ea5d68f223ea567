#!/usr/bin/env python3
"""Race all algorithms against the MPI library on this machine and tell who wins where.

demo.py --build build
demo.py --bench build/bin/rondo-bench --mpirun "mpirun --oversubscribe" --ranks 4,8
"""

import argparse
import os
import statistics
import sys
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import demos  # noqa: E402
from demos import say  # noqa: E402
from text_tables import columns  # noqa: E402

COLLECTIVES = ["alltoall", "alltoallv"]
LEAST_ITERATIONS = 10

# Rondo's own choice runs one of the others, so it gets a line of its own.
AUTO = "auto"


class Race(NamedTuple):
    """What was measured at one number of ranks and one block size."""

    collective: str
    ranks: int
    rows: list[dict]

    @property
    def podium(self) -> list[dict]:
        """The algorithms from the fastest to the slowest, each exchange under one name."""
        running = [row for row in self.rows if row["algorithm"] != AUTO]
        return sorted(running, key=lambda row: row["median_us"])

    def row(self, name: str) -> dict:
        return next(row for row in self.rows if row["algorithm"] == name)

    @property
    def mpi(self) -> dict:
        return self.row("mpi")

    @property
    def disturbed(self) -> bool:
        """Then nobody has won."""
        return bool(self.mpi.get("disturbed"))


def machine_ranks() -> list[int]:
    """As many as there are cores first, and then more, which share them."""
    cores = max(os.cpu_count() or 1, 2)
    return [cores, 2 * cores, 4 * cores] if cores <= 16 else [cores, 2 * cores]


def parse_arguments() -> argparse.Namespace:
    parser = demos.make_parser(__doc__, machine_ranks())
    parser.add_argument("--bench", type=Path, help="rondo-bench (default: in the build tree)")
    parser.add_argument("--bytes", default="16,128,1k", help="block sizes (default: %(default)s)")
    parser.add_argument(
        "--iterations", type=int, default=50, help="samples at most (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=60,
        help="take fewer samples where all runs would take longer (default: %(default)s)",
    )
    arguments = parser.parse_args()
    arguments.bench = arguments.bench or arguments.build / "bin" / "rondo-bench"
    if not arguments.bench.is_file():
        parser.error(f"{arguments.bench} is not there; `make build` makes it")
    return arguments


def run(arguments: argparse.Namespace, collective: str, ranks: int, iterations: int) -> list[Race]:
    """One run of rondo-bench."""
    command = [*arguments.mpirun, "-n", str(ranks), str(arguments.bench.resolve())]
    command += [collective, "--algorithm", "all", "--bytes", arguments.bytes, "--check", "--quiet"]
    # No more, so that a run keeps to its part of the time.
    command += ["--iterations", str(iterations), "--learn", str(iterations), "--format", "json"]
    by_size: dict[int, list[dict]] = {}
    for row in demos.run(command):
        by_size.setdefault(row["bytes"], []).append(row)
    return [Race(collective, ranks, rows) for rows in by_size.values()]


def run_all(arguments: argparse.Namespace) -> list[Race]:
    """All runs, the small ones first. If time runs short, later runs take fewer samples."""
    cases = [(ranks, name) for ranks in arguments.ranks for name in COLLECTIVES]
    end = time.monotonic() + arguments.seconds
    races: list[Race] = []
    one = 0.0  # seconds that an iteration took, for each rank
    for number, (ranks, collective) in enumerate(cases):
        start = time.monotonic()
        # Later runs have more ranks: each run gets time in proportion to its ranks.
        left = sum(later for later, _ in cases[number:])
        share = max(end - start, 0) * ranks / left
        fitting = int(share / (one * ranks)) if one else arguments.iterations
        iterations = min(arguments.iterations, max(LEAST_ITERATIONS, fitting))
        races += run(arguments, collective, ranks, iterations)
        one = (time.monotonic() - start) / (iterations * ranks)
    return sorted(races, key=lambda race: COLLECTIVES.index(race.collective))


def clearly_faster(one: dict, other: dict) -> bool:
    """The smallest of many medians looks good by chance alone, so intervals must not touch."""
    return one["high_us"] < other["low_us"]


def microseconds(row: dict) -> str:
    return f"{row['median_us']:.{1 if row['median_us'] < 1000 else 0}f}"


def table_line(race: Race) -> list[str]:
    winner, second = race.podium[:2]
    near_mpi = winner is not race.mpi and not clearly_faster(winner, race.mpi)
    near_second = not clearly_faster(winner, second)
    if race.disturbed:
        figures = [microseconds(race.mpi), microseconds(winner), "-", "disturbed", "-"]
        return [str(race.ranks), str(winner["bytes"]), *figures]
    return [
        str(race.ranks),
        str(winner["bytes"]),
        microseconds(race.mpi),
        microseconds(winner),
        ("~" if near_mpi else "") + f"{winner['speedup']:.2f}x",
        winner["algorithm"],
        ("~" if near_second else "") + second["algorithm"],
    ]


def print_table(races: list[Race]) -> None:
    lines = [["P", "S", "MPI us", "best us", "speedup", "winner", "runner-up"]]
    lines += [table_line(race) for race in races]
    print(columns(lines, {0, 1, 2, 3, 4}), end="")


def parameters_of(races: list[Race]) -> list[str]:
    """A line for every algorithm in the tables that has parameters, by P if they depend on P."""
    found: dict[str, dict[str, list[int]]] = {}
    for race in races:
        for row in race.podium[:2]:
            if row["parameters"]:
                where = found.setdefault(row["algorithm"], {}).setdefault(row["parameters"], [])
                where += [race.ranks] if race.ranks not in where else []
    lines = []
    for name, ways in sorted(found.items()):
        texts = [
            parameters if len(ways) == 1 else f"{parameters} (P = {', '.join(map(str, ranks))})"
            for parameters, ranks in sorted(ways.items(), key=lambda way: min(way[1]))
        ]
        lines.append(f"{name}: {'; '.join(texts)}")
    return lines


def say_auto(races: list[Race]) -> None:
    speedups = [race.row(AUTO)["speedup"] for race in calm(races) if any_auto(race)]
    if speedups:
        least, middle, most = min(speedups), statistics.median(speedups), max(speedups)
        say(
            f"auto, which is what Rondo chooses when nobody does: {middle:.2f} times as fast as "
            f"the MPI library in the middle of these cases, {least:.2f} to {most:.2f}."
        )


def any_auto(race: Race) -> bool:
    return any(row["algorithm"] == AUTO for row in race.rows)


def calm(races: list[Race]) -> list[Race]:
    return [race for race in races if not race.disturbed]


def print_summary(races: list[Race]) -> None:
    counts = {race.rows[0]["iterations"] for race in races}
    samples = " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
    print()
    say(
        "Who wins where: medians in microseconds, and the speedup against the MPI library's own "
        "call in the same run. P ranks; S bytes is the largest block: alltoall sends S, alltoallv "
        f"0..S, all equally likely. Samples of each: {samples}."
    )
    say(
        "~ before a speedup or a name: 95% intervals overlap, the winner's with the MPI library's "
        "or the runner-up's with the winner's: no clear difference."
    )
    demos.say_sharing(max(race.ranks for race in races))
    for collective in dict.fromkeys(race.collective for race in races):
        print(f"\n{collective}")
        print_table([race for race in races if race.collective == collective])
    legend = parameters_of(races)
    if legend:
        print("\nParameters, at their defaults:")
    for line in legend:
        print(textwrap.fill(line, demos.WIDTH, initial_indent="  ", subsequent_indent="    "))
    print()
    faster = sum(clearly_faster(race.podium[0], race.mpi) for race in calm(races))
    fastest = sum(
        race.podium[0] is race.mpi and clearly_faster(race.mpi, race.podium[1])
        for race in calm(races)
    )
    if len(calm(races)) < len(races):
        say(
            f"{len(races) - len(calm(races))} of {len(races)} cases were disturbed, so these say "
            "nothing. Run the demo again on a quiet machine."
        )
    checked = sum(len(race.rows) for race in races)
    say(
        f"Of {len(calm(races))} cases the winner is clearly faster than the MPI library in "
        f"{faster}; the MPI library is clearly the fastest in {fastest}. Every byte of {checked} "
        "measurements was checked."
    )
    say_auto(races)


def main() -> None:
    print_summary(run_all(parse_arguments()))


if __name__ == "__main__":
    main()
