#!/usr/bin/env python3
"""Race all algorithms against the MPI library on this machine and tell who wins where.

demo.py --build build
demo.py --bench build/bin/rondo-bench --mpirun "mpirun --oversubscribe" --ranks 4,8
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

COLLECTIVES = ["alltoall", "alltoallv"]
MPIRUN = Path(__file__).resolve().parent.parent / "tools" / "mpirun"


class Race(NamedTuple):
    """What was measured at one number of ranks and one block size."""

    collective: str
    ranks: int
    rows: list[dict]

    @property
    def podium(self) -> list[dict]:
        return sorted(self.rows, key=lambda row: row["median_us"])

    @property
    def mpi(self) -> dict:
        return next(row for row in self.rows if row["algorithm"] == "mpi")


def machine_ranks() -> list[int]:
    """Up to a rank for every core; few cores are shared, or there would be little to see."""
    cores = os.cpu_count() or 1
    return [cores // 4, cores // 2, cores] if cores >= 16 else [4, 8, 16, 32]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build", type=Path, default=Path("build"), help="build tree (default: build)"
    )
    parser.add_argument("--bench", type=Path, help="rondo-bench (default: in the build tree)")
    parser.add_argument(
        "--mpirun", default=str(MPIRUN), help="command that starts ranks, with its options"
    )
    parser.add_argument(
        "--ranks",
        default=",".join(map(str, machine_ranks())),
        help="numbers of ranks (default: %(default)s)",
    )
    parser.add_argument("--bytes", default="16,128,1k", help="block sizes (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=50, help="samples (default: %(default)s)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=45,
        help="start no further run after this time (default: %(default)s)",
    )
    arguments = parser.parse_args()
    arguments.bench = arguments.bench or arguments.build / "bin" / "rondo-bench"
    if not arguments.bench.is_file():
        parser.error(f"{arguments.bench} is not there; `make build` makes it")
    return arguments


def run(arguments: argparse.Namespace, collective: str, ranks: int) -> list[Race]:
    """One run of rondo-bench; its errors end the demo."""
    command = [
        *shlex.split(arguments.mpirun),
        "-n",
        str(ranks),
        str(arguments.bench.resolve()),
        collective,
        "--algorithm",
        "all",
        "--bytes",
        arguments.bytes,
        "--check",
        "--iterations",
        str(arguments.iterations),
        "--format",
        "json",
    ]
    print(f"$ {shlex.join(command)}", flush=True)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"demo: the run ended with exit status {result.returncode}")
    by_size: dict[int, list[dict]] = {}
    for line in result.stdout.splitlines():
        if line.startswith("{"):  # launchers may talk on the same stream
            row = json.loads(line)
            by_size.setdefault(row["bytes"], []).append(row)
    return [Race(collective, ranks, rows) for rows in by_size.values()]


def full_name(row: dict) -> str:
    return ":".join(filter(None, [row["algorithm"], row["parameters"]]))


def clearly_faster(one: dict, other: dict) -> bool:
    """The smallest of many medians looks good by chance alone: intervals must not touch."""
    return one["high_us"] < other["low_us"]


def table_line(race: Race) -> list[str]:
    winner, second = race.podium[:2]
    near_mpi = winner is not race.mpi and not clearly_faster(winner, race.mpi)
    near_second = not clearly_faster(winner, second)
    return [
        race.collective,
        str(race.ranks),
        str(winner["bytes"]),
        f"{race.mpi['median_us']:.1f}",
        f"{winner['median_us']:.1f}",
        ("~" if near_mpi else "") + f"{winner['speedup']:.2f}x",
        full_name(winner),
        ("~" if near_second else "") + f"{second['speedup']:.2f}x",
        full_name(second),
    ]


def print_table(races: list[Race]) -> None:
    lines = [
        [
            "collective",
            "P",
            "S bytes",
            "MPI us",
            "best us",
            "speedup",
            "winner",
            "speedup",
            "runner-up",
        ]
    ]
    lines += [table_line(race) for race in races]
    widths = [max(map(len, column)) for column in zip(*lines)]
    numbers = {1, 2, 3, 4, 5, 7}
    for line in lines:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        print("  ".join(cells).rstrip())


def print_summary(races: list[Race]) -> None:
    cores = os.cpu_count() or 1
    print("\nWho wins where: medians, speedup against the MPI library's own call in the same run.")
    print("S is the largest block: alltoall sends S, alltoallv 0..S, all equally likely.")
    print("~ before a speedup: 95% intervals overlap, the winner's with the MPI library's or the")
    print("runner-up's with the winner's: no clear difference.")
    if max(race.ranks for race in races) > cores:
        print(
            f"Runs of more than {cores} ranks share {cores} cores: they measure messages and "
            "switches."
        )
    print()
    print_table(races)
    faster = sum(clearly_faster(race.podium[0], race.mpi) for race in races)
    fastest = sum(
        race.podium[0] is race.mpi and clearly_faster(race.mpi, race.podium[1]) for race in races
    )
    checked = sum(len(race.rows) for race in races)
    print(
        f"\nOf {len(races)} cases the winner is clearly faster than the MPI library in {faster}; "
        f"the MPI library is\nclearly the fastest in {fastest}. "
        f"Every byte of {checked} measurements was checked."
    )


def main() -> None:
    arguments = parse_arguments()
    start = time.monotonic()
    races: list[Race] = []
    for ranks in map(int, arguments.ranks.split(",")):
        for collective in COLLECTIVES:
            if races and time.monotonic() - start > arguments.seconds:
                print(f"left out, for time: {collective} on {ranks} ranks")
                continue
            races += run(arguments, collective, ranks)
    races.sort(key=lambda race: (race.collective, race.ranks))
    print_summary(races)


if __name__ == "__main__":
    main()
