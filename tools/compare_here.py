#!/usr/bin/env python3
r"""Compare what rondo-bench measures on this machine with `rondo simulate`.

compare_here.py [--build BUILD] [--folder FOLDER] [--document DOCUMENT]

Measures the prices of this machine, then exchanges of 2, 8 and 32 ranks on one node and of 4 nodes
of 8 ranks, which are namespaces (tools/cluster; needs root). Then it simulates each of them with
these prices. It needs rondo-bench and rondo-tune in BUILD/bin, the package rondo (pip install .),
and a quiet machine for five minutes. What FOLDER has already is not measured again.

Prints a table with a row for every exchange, or writes it into the document, between the lines
`<!-- here -->` and `<!-- end -->`; --all prints a row for every algorithm. The MPI library's own
call is left out, because its algorithm is unknown.
"""

import argparse
import itertools
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from rondo import profiles, results, simulate

SOURCE = Path(__file__).resolve().parent.parent
CLUSTER, NAME = SOURCE / "tools/cluster", "compare"
SIZES = "16,256,4096"
ROUNDS = 3
TUNING_SECONDS = 10
CLEAR = 1.1  # measured times that differ by less are not in any order
ALGORITHMS = {
    "alltoall": "spread_out,pairwise,basic_bruck,zero_rotation_bruck,tunable_bruck,node_aware",
    "alltoallv": "spread_out,pairwise,padded_bruck,two_phase_bruck,fused_bruck,node_aware",
}
SECTION = re.compile(r"(<!-- here -->\n).*?(<!-- end -->\n)", re.DOTALL)


class Layout(NamedTuple):
    nodes: int
    per_node: int
    iterations: int

    def text(self):
        return f"{self.nodes} x {self.per_node}" if self.nodes > 1 else f"{self.per_node}"

    def launcher(self):
        if self.nodes == 1:
            return [SOURCE / "tools/mpirun", "-n", self.per_node]
        placed = ["--nodes", self.nodes, "--ranks-per-node", self.per_node]
        return [CLUSTER, "run", "--name", NAME, *placed, "--"]


LAYOUTS = [Layout(1, 2, 1000), Layout(1, 8, 200), Layout(1, 32, 40), Layout(4, 8, 12)]
# Where prices are measured: each rank has a core of its own.
INSIDE, BETWEEN = Layout(1, 2, 0), Layout(2, 1, 0)


def run(*words):
    subprocess.run(list(map(str, words)), check=True)


def profile_of(folder, layout):
    return folder / f"profile.{layout.nodes}.json"


def runs_of(folder, layout):
    """The files of a layout, by collective and round."""
    names = itertools.product(range(ROUNDS), ALGORITHMS)
    return {
        (collective, number): folder
        / f"{collective}.{layout.nodes}x{layout.per_node}.{number}.json"
        for number, collective in names
    }


def commands(options):
    """What makes each file."""
    bench, tune = options.build / "bin/rondo-bench", options.build / "bin/rondo-tune"
    found = {}
    for layout in (INSIDE, BETWEEN):
        path = profile_of(options.folder, layout)
        words = [tune, "--budget", TUNING_SECONDS, "--quiet", "--output", path]
        found[path] = [*layout.launcher(), *words]
    for layout in LAYOUTS:
        for (collective, number), path in runs_of(options.folder, layout).items():
            words = ["--algorithm", ALGORITHMS[collective], "--bytes", SIZES, "--quiet"]
            words += ["--iterations", layout.iterations, "--seed", number + 1]
            words += ["--format", "json", "--output", path]
            found[path] = [*layout.launcher(), bench, collective, *words]
    return found


def measure(options):
    """Make the files that are missing, with nodes for as long as that takes."""
    options.folder.mkdir(parents=True, exist_ok=True)
    missing = {path: words for path, words in commands(options).items() if not path.exists()}
    if not missing:
        return
    run(CLUSTER, "up", 4, "--name", NAME)
    try:
        for words in missing.values():
            run(*words)
    finally:
        run(CLUSTER, "down", "--name", NAME)


def measure_prices(build, folder):
    """Make the profiles that are missing, for machine_of()."""
    folder.mkdir(parents=True, exist_ok=True)
    if all(profile_of(folder, layout).exists() for layout in (INSIDE, BETWEEN)):
        return
    run(CLUSTER, "up", 4, "--name", NAME)
    try:
        for layout in (INSIDE, BETWEEN):
            words = [build / "bin/rondo-tune", "--budget", TUNING_SECONDS, "--quiet"]
            run(*layout.launcher(), *words, "--output", profile_of(folder, layout))
    finally:
        run(CLUSTER, "down", "--name", NAME)


def machine_of(folder, layout):
    """This machine, as that layout sees it: all nodes share its cores."""
    known = profiles.read(profile_of(folder, INSIDE)).machine
    machine = simulate.simulated_machine(known)
    if layout.nodes == 1:
        return machine
    remote = profiles.read(profile_of(folder, BETWEEN)).machine
    machine.between = simulate.simulated_machine(remote).between
    machine.adapter = simulate.simulated_machine(remote).adapter
    on_a_core = layout.nodes * layout.per_node / machine.cores
    machine.cores = 1
    more = on_a_core / layout.per_node  # than the simulation counts for nodes with a core each
    groups = [
        (machine.copying, ["seconds_per_byte", "seconds_per_block", "typed_seconds_per_block"]),
        (machine.waiting, ["arrival_seconds", "switch_seconds"]),
        (machine.inside, ["overhead_seconds", "gap_seconds", "seconds_per_byte"]),
    ]
    for group, names in groups:
        for name in names:
            setattr(group, name, getattr(group, name) * more)
    # A core works for its messages between nodes too.
    machine.between.overhead_seconds *= on_a_core
    return machine


class Times(NamedTuple):
    measured: float
    simulated: float


def rows_by_name(folder, layout):
    """The rows of all rounds, by exchange and algorithm."""
    found = {}
    for path in runs_of(folder, layout).values():
        for row in results.rows_of(path.read_text(encoding="utf-8").splitlines()):
            if row["algorithm"] != "mpi":
                key = (row["collective"], row["bytes"], results.full_name(row))
                found.setdefault(key, []).append(row)
    return found


def compare(folder):
    """Times by layout, collective and length, and by algorithm."""
    found = {}
    for layout in LAYOUTS:
        machine = machine_of(folder, layout)
        for (collective, size, name), rows in rows_by_name(folder, layout).items():
            measured = statistics.median(row["median_us"] for row in rows) * 1e-6
            made = simulate.simulate(
                name, layout.nodes * layout.per_node, layout.per_node, size, machine,
                collective=collective, distribution=rows[0]["distribution"],
            )  # fmt: skip
            times = found.setdefault((layout, collective, size), {})
            times[name] = Times(measured, made.seconds)
    return found


def pairs_in_order(times):
    """How many pairs of clearly different times are in the measured order, and of how many."""
    clear = [
        (one, other)
        for one, other in itertools.combinations(times, 2)
        if max(one.measured, other.measured) > CLEAR * min(one.measured, other.measured)
    ]
    same = [(a.measured < b.measured) == (a.simulated < b.simulated) for a, b in clear]
    return sum(same), len(same)


def errors_of(times):
    return [abs(one.simulated / one.measured - 1) for one in times]


def fastest(times, field):
    return min(times, key=lambda name: getattr(times[name], field)).partition(":")[0]


def table_of(points):
    """Markdown."""
    heads = ["exchange", "ranks", "S", "fastest, measured", "simulated", "median error", "in order"]
    lines = [heads, ["---"] * len(heads)]
    for (layout, collective, size), times in points.items():
        same, pairs = pairs_in_order(times.values())
        error = f"{statistics.median(errors_of(times.values())):.0%}"
        best = [fastest(times, field) for field in Times._fields]
        lines.append([collective, layout.text(), f"{size}", *best, error, f"{same} of {pairs}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def summary_of(points):
    orders = [pairs_in_order(times.values()) for times in points.values()]
    same, pairs = (sum(column) for column in zip(*orders))
    right = sum(fastest(t, "measured") == fastest(t, "simulated") for t in points.values())
    errors = [error for times in points.values() for error in errors_of(times.values())]
    return (
        f"The median error of {len(errors)} times is {statistics.median(errors):.0%}. {same} of "
        f"{pairs} pairs of algorithms whose\nmeasured times differ by more than {CLEAR - 1:.0%} "
        f"are in the measured order. The fastest is the same\nin {right} of {len(points)} rows.\n"
    )


def print_all(points):
    for (layout, collective, size), times in points.items():
        for name, one in times.items():
            microseconds = f"{one.measured * 1e6:.1f} {one.simulated * 1e6:.1f}"
            off = f"{one.simulated / one.measured - 1:+.0%}"
            print(layout.text(), collective, size, name, microseconds, off)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=SOURCE / "build", help="with bin/rondo-bench")
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/compare", help="of the runs")
    parser.add_argument("--document", type=Path, help="where the table is written")
    parser.add_argument("--all", action="store_true", help="a row for every algorithm")
    options = parser.parse_args()
    options.build, options.folder = options.build.resolve(), options.folder.resolve()
    old = options.document.read_text(encoding="utf-8") if options.document else ""
    if options.document and not SECTION.search(old):
        sys.exit(f"{options.document} needs the lines <!-- here --> and <!-- end -->")
    measure(options)
    points = compare(options.folder)
    if options.all:
        print_all(points)
    made = f"{table_of(points)}\n{summary_of(points)}"
    print(made, end="")
    if options.document:
        new = SECTION.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", old)
        options.document.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
