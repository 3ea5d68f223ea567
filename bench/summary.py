#!/usr/bin/env python3
"""Sum up what rondo-bench measured: ratios of times within a run, over all block sizes.

rondo-bench alltoallv ... --algorithm mpi,spread_out,auto --format json > runs.json
summary.py runs.json [more.json ...] [--format table|markdown] [--sizes] [--pool] [--cores [NS]]
cat runs.json | summary.py

The input is lines of JSON. Other lines, and those of rondo-limit, are ignored, and so are rows that
are marked as disturbed. A row that comes again, or in another file, belongs to another run. For
every collective, number of ranks and nodes, distribution and algorithm there are three geometric
means over the block sizes, of the median over runs of a ratio of medians within one run. Above 1
the algorithm is faster:

  vs mpi         the MPI library's time over the algorithm's
  vs better      that of `mpi` or of `spread_out`, whichever is less, over the algorithm's
  vs best other  the least of all other rows over the algorithm's

--sizes adds a table of the first ratio for each size, with its 95% interval: a bootstrap over runs,
which is the median of as many runs, drawn with replacement. It needs two runs or more.

--cores keeps apart the runs in which the cores were near each other, with round trips of a flag of
less than NS nanoseconds (150), and far from each other. Runs in which that changed are left out.

--pool lists what is slower than the MPI library beyond doubt: each algorithm and size whose speedup
has such an interval that lies below 0.95.
"""

import argparse
import statistics
import sys
from pathlib import Path
from typing import NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "support"))
sys.path.append(str(ROOT / "python/rondo"))  # as modules: the package must be built first

from bootstrap import interval_of_median  # noqa: E402
from files import read_text  # noqa: E402
from results import rows_of  # noqa: E402
from text_tables import columns, markdown  # noqa: E402

MPI = "mpi"
SPREAD_OUT = "spread_out"
SLOWER = 0.95
NEAR_NS = 150

# Rows are compared with each other if they have the same exchange, size and run.
Times = dict[str, float]  # by algorithm, microseconds


class Group(NamedTuple):
    """What one table is about."""

    collective: str
    ranks: int
    nodes: int
    distribution: str
    cores: str = ""  # with --cores: near or far

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        cores = f", {self.cores} cores" if self.cores else ""
        return f"{self.collective}, {self.ranks} ranks, {nodes}, {self.distribution}{cores}"


Sizes = dict[int, list[Times]]  # by block size, the runs


class Slow(NamedTuple):
    """A row of --pool."""

    group: Group
    algorithm: str
    bytes: int
    runs: int
    speedup: float
    low: float
    high: float


def distance_of_cores(row, near_ns: float) -> Optional[str]:
    """Near or far; nothing if that changed or was not measured."""
    times = row.get("round_trip_before_ns"), row.get("round_trip_after_ns")
    if None in times:
        return None
    found = {"near" if time < near_ns else "far" for time in times}
    return found.pop() if len(found) == 1 else None


def add_rows(groups: dict[Group, Sizes], lines, near_ns: Optional[float]) -> None:
    """The rows of one file."""
    current: dict[tuple[Group, int], Times] = {}
    for row in rows_of(lines):
        if row.get("disturbed"):
            continue
        cores = "" if near_ns is None else distance_of_cores(row, near_ns)
        if cores is None:
            continue
        group = Group(row["collective"], row["ranks"], row["nodes"], row["distribution"], cores)
        algorithm, size = row["algorithm"], row["bytes"]
        if row.get("errors"):
            raise ValueError(f"{group.title()}, S = {size}: {algorithm} has wrong bytes")
        times = current.get((group, size))
        if times is None or algorithm in times:
            times = current[group, size] = {}
            groups.setdefault(group, {}).setdefault(size, []).append(times)
        times[algorithm] = row["median_us"]


def check(groups: dict[Group, Sizes]) -> None:
    for group, sizes in groups.items():
        for size, runs in sizes.items():
            if any(MPI not in times for times in runs):
                raise ValueError(f"{group.title()}, S = {size}: a run without the row `{MPI}`")
    if not groups:
        raise ValueError(
            "no rows of rondo-bench that nothing disturbed; it writes rows with --format json"
        )


def vs_mpi(times: Times, algorithm: str) -> float:
    return times[MPI] / times[algorithm]


def vs_better(times: Times, algorithm: str) -> Optional[float]:
    if SPREAD_OUT not in times:
        return None
    return min(times[MPI], times[SPREAD_OUT]) / times[algorithm]


def vs_best_other(times: Times, algorithm: str) -> Optional[float]:
    others = [time for other, time in times.items() if other != algorithm]
    return min(others) / times[algorithm] if others else None


def over_runs(runs: list[Times], algorithm: str, ratio) -> Optional[float]:
    ratios = [ratio(times, algorithm) for times in runs if algorithm in times]
    known = [value for value in ratios if value is not None]
    return statistics.median(known) if known else None


def over_sizes(sizes: Sizes, algorithm: str, ratio) -> Optional[float]:
    ratios = [over_runs(runs, algorithm, ratio) for runs in sizes.values()]
    known = [value for value in ratios if value is not None]
    return statistics.geometric_mean(known) if known else None


def algorithms_of(sizes: Sizes) -> list[str]:
    """The algorithms, in the order of their first rows."""
    return list(dict.fromkeys(name for runs in sizes.values() for times in runs for name in times))


def summary_lines(sizes: Sizes) -> list[list[str]]:
    lines = [["algorithm", "sizes", "runs", "vs mpi", "vs better", "vs best other"]]
    for algorithm in algorithms_of(sizes):
        counts = [sum(algorithm in times for times in runs) for runs in sizes.values()]
        counts = [count for count in counts if count > 0]
        least, most = min(counts), max(counts)
        ratios = [over_sizes(sizes, algorithm, way) for way in (vs_mpi, vs_better, vs_best_other)]
        lines.append(
            [
                algorithm,
                str(len(counts)),
                str(least) if least == most else f"{least}-{most}",
                *("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
            ]
        )
    return lines


def speedup_cell(runs: list[Times], algorithm: str) -> str:
    """The median speedup over runs, with its interval."""
    speedups = [vs_mpi(times, algorithm) for times in runs if algorithm in times]
    if not speedups:
        return "-"
    median = f"{statistics.median(speedups):.2f}"
    if len(speedups) == 1:
        return median
    low, high = interval_of_median(speedups)
    return f"{median} ({low:.2f}-{high:.2f})"


def size_lines(groups: dict[Group, Sizes], algorithm: str) -> list[list[str]]:
    """A row for each size, and a column for each group."""
    sizes = sorted({size for group in groups.values() for size in group})
    lines = [["S bytes", *(group.title() for group in groups)]]
    for size in sizes:
        cells = [speedup_cell(group.get(size, []), algorithm) for group in groups.values()]
        lines.append([str(size), *cells])
    return lines


def print_sizes(groups: dict[Group, Sizes], write) -> None:
    together = {size: runs for sizes in groups.values() for size, runs in sizes.items()}
    for algorithm in algorithms_of(together):
        if algorithm != MPI:
            write(f"{algorithm} vs mpi, by size", size_lines(groups, algorithm))


def find_slow(groups: dict[Group, Sizes]) -> tuple[list[Slow], int]:
    """The rows that are slower, and how many were measured only once."""
    slow: list[Slow] = []
    single = 0
    for group, sizes in groups.items():
        for size, runs in sizes.items():
            for algorithm in algorithms_of({size: runs}):
                speedups = [vs_mpi(times, algorithm) for times in runs if algorithm in times]
                if len(speedups) < 2:
                    single += 1
                    continue
                low, high = interval_of_median(speedups)
                if high < SLOWER:
                    median = statistics.median(speedups)
                    slow.append(Slow(group, algorithm, size, len(speedups), median, low, high))
    return slow, single


def slow_lines(slow: list[Slow]) -> list[list[str]]:
    lines = [["exchange", "algorithm", "S bytes", "runs", "speedup", "low", "high"]]
    for row in slow:
        figures = [f"{value:.3f}" for value in (row.speedup, row.low, row.high)]
        lines.append([row.group.title(), row.algorithm, str(row.bytes), str(row.runs), *figures])
    return lines


def numbers(lines: list[list[str]]) -> list[int]:
    """The indices of the columns that have numbers."""
    return [i for i, name in enumerate(lines[0]) if name not in ("algorithm", "exchange")]


def print_table(title: str, lines: list[list[str]]) -> None:
    print(f"{title}\n{columns(lines, numbers(lines))}")


def print_markdown(title: str, lines: list[list[str]]) -> None:
    print(f"### {title}\n\n{markdown(lines, numbers(lines))}")


def print_slow(groups: dict[Group, Sizes], write) -> None:
    slow, single = find_slow(groups)
    title = f"Speedup below {SLOWER} beyond doubt, rows: {len(slow)}"
    if slow:
        write(title, slow_lines(slow))
    else:
        print(title)
    if single:
        print(f"Measured in one run only and not judged, rows: {single}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="default: standard input")
    parser.add_argument("--format", choices=["table", "markdown"], default="table")
    parser.add_argument("--sizes", action="store_true", help="intervals for each size")
    parser.add_argument("--pool", action="store_true", help="what is slower than the MPI library")
    parser.add_argument(
        "--cores",
        type=float,
        nargs="?",
        const=NEAR_NS,
        metavar="NS",
        help="near and far cores are kept apart",
    )
    return parser.parse_args()


def read(files: list[Path], near_ns: Optional[float]) -> dict[Group, Sizes]:
    groups: dict[Group, Sizes] = {}
    if not files:
        add_rows(groups, sys.stdin, near_ns)
    for file in files:
        add_rows(groups, read_text(file).splitlines(), near_ns)
    check(groups)
    return groups


def main() -> None:
    arguments = parse_arguments()
    try:
        groups = read(arguments.files, arguments.cores)
    except (OSError, ValueError) as error:
        sys.exit(f"summary: {error}")
    write = print_table if arguments.format == "table" else print_markdown
    for group, sizes in groups.items():
        write(group.title(), summary_lines(sizes))
    if arguments.sizes:
        print_sizes(groups, write)
    if arguments.pool:
        print_slow(groups, write)


if __name__ == "__main__":
    main()
