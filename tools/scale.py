#!/usr/bin/env python3
"""What is simulated at scale, on Theta: three tables.

scale.py [DOCUMENT] [--table scale|nodes|samples]... [--ranks P]... [--seed SEED]

`scale` and `nodes` show what Rondo's own algorithms gain at the papers' scale, of which every rank
is simulated. `samples` shows how far samples are off, and how long they take.

Prints the tables, or writes them into the document, between the lines `<!-- scale -->`,
`<!-- nodes -->` or `<!-- samples -->` and `<!-- end -->`. Needs rondo (pip install .); takes a
quarter of an hour with all numbers of ranks.
"""

import argparse
import math
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from rondo import registry, simulate

MACHINE = "theta"
RANKS = [512, 1024, 2048, 4096, 8192, 16384, 32768]
SIZES = [16, 64, 256, 1024, 4096]
DISTRIBUTIONS = ["uniform", "power:0.99"]
PUBLISHED = ["padded_bruck", "two_phase_bruck", "sloav", "spread_out"]
RADICES = [2, 4, 8, 16, 32, 64, 128, 256]
PER_NODE = 64
# Of the second table.
SHORT, SLOT_BYTES = 16, 16 << 20
NODES = [1024, 2048, 4096, 8192]
# Of the third one: ranks and ranks per node of what is compared, and of what is only timed.
COMPARED, TIMED = [(1024, 8), (4096, 16)], [(32768, 64), (1048576, 128)]
EXACT, SAMPLES = 5, 10  # seeds
PART = 8  # a sample may do an eighth of the work
SECTION = re.compile(r"(<!-- (scale|nodes|samples) -->\n).*?(<!-- end -->\n)", re.DOTALL)


class Cell(NamedTuple):
    """A row of the table, before it is filled."""

    distribution: str
    ranks: int
    size: int


@cache
def machine():
    return simulate.machine(MACHINE)


def milliseconds(cell, algorithm, seed, slot_bytes=4 << 20):
    made = simulate.simulate(
        algorithm,
        cell.ranks,
        PER_NODE,
        cell.size,
        machine(),
        distribution=cell.distribution,
        seed=seed,
        slot_bytes=slot_bytes,
        most_visits=math.inf,
    )
    return made.seconds * 1e3


def shown(time):
    """Three digits, never as 1e+03."""
    return f"{float(f'{time:.3g}'):g}"


def fastest(times, names):
    return min(names, key=times.__getitem__)


def row(cell, seed):
    """Times in ms; how many times as fast Rondo's are, in bold where they are behind."""
    radices = {f"fused_bruck:radix={r}": r for r in RADICES}
    names = [*PUBLISHED, "mpi", "fused_bruck", "node_aware", *radices]
    times = {name: milliseconds(cell, name, seed) for name in names}
    published, tuned = fastest(times, PUBLISHED), fastest(times, ["fused_bruck", *radices])
    best = min(times[published], times["mpi"])

    def gain(name):
        return (
            f"{best / times[name]:.2f}" if times[name] <= best else f"**{best / times[name]:.2f}**"
        )

    return [
        cell.distribution,
        f"{cell.ranks}",
        f"{cell.size}",
        f"{published} {shown(times[published])}",
        shown(times["mpi"]),
        shown(times["fused_bruck"]),
        gain("fused_bruck"),
        f"{shown(times[tuned])} ({radices.get(tuned, 'default')})",
        shown(times["node_aware"]),
        gain("node_aware"),
    ]


def scale_table(options):
    cells = [Cell(d, p, n) for d in DISTRIBUTIONS for p in options.ranks or RANKS for n in SIZES]
    fused = ["fused_bruck", "times as fast", "at its best radix"]
    headings = ["lengths", "P", "N", "best published", "MPI_Alltoallv", *fused]
    lines = [[*headings, "node_aware", "times as fast"]]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for made in threads.map(lambda cell: row(cell, options.seed), cells):
            lines.append(made)
            print(" ".join(made), file=sys.stderr, flush=True)
    return lines


def nodes_table(options):
    """node_aware as it is by default, and in log-time rounds by one rank of a node or by all."""
    bruck = "node_aware:inter=bruck"
    ways = ["node_aware", bruck, f"{bruck}:parts={PER_NODE}"]
    lines = [["nodes", "P", *ways]]
    for nodes in NODES:
        cell = Cell("uniform", nodes * PER_NODE, SHORT)
        times = [milliseconds(cell, way, options.seed, SLOT_BYTES) for way in ways]
        lines.append([f"{nodes}", f"{cell.ranks}", *(shown(time) for time in times)])
    return lines


def sampled(collective, algorithm, layout, seed, **how):
    ranks, per_node = layout
    return simulate.simulate(
        algorithm, ranks, per_node, SHORT, machine(), collective=collective, seed=seed, **how
    )


def width(made):
    """Half of the interval; 0 if every rank was simulated."""
    return f"{50 * (made.high_seconds - made.low_seconds) / made.seconds:.2g} %"


def compared(collective, algorithm, layout):
    """How far samples are off, half of their interval, and how many exchanges are within."""
    of = (collective, algorithm, layout)
    exact = [sampled(*of, 1000 + seed, most_visits=math.inf) for seed in range(EXACT)]
    most = max(exact[0].messages // PART, 1)
    samples = [sampled(*of, seed, most_visits=most) for seed in range(1, 1 + SAMPLES)]
    seconds = [one.seconds for one in exact]
    off = mean(one.seconds for one in samples) / mean(seconds) - 1
    within = [
        one.low_seconds <= played <= one.high_seconds for one in samples for played in seconds
    ]
    return [f"{mean(seconds) * 1e3:.4g}", f"{100 * off:+.2f} %", width(samples[0]), sum(within)]


def timed(collective, algorithm, layout):
    """The simulated time and half of its interval, and how long the simulation took."""
    begin = time.process_time()
    made = sampled(collective, algorithm, layout, 1)
    return [shown(made.seconds * 1e3), width(made), f"{time.process_time() - begin:.1f}"]


def samples_table(options):
    """Every algorithm: against simulations of every rank, and at scale."""
    within = f"within, of {EXACT * SAMPLES}"
    heads = [[f"P = {p}, ms", "off", "±", within] for p, _ in COMPARED]
    heads += [[f"P = {p}, ms", "±", "simulated in s"] for p, _ in TIMED]
    lines = [["exchange", "algorithm", *(head for heads_of in heads for head in heads_of)]]
    for row in registry.algorithms():
        if row.collective not in ("alltoall", "alltoallv"):
            continue
        of = (row.collective, row.name)
        cells = [compared(*of, layout) for layout in COMPARED]
        cells += [timed(*of, layout) for layout in TIMED]
        lines.append([*of, *(f"{cell}" for cells_of in cells for cell in cells_of)])
        print(" ".join(lines[-1]), file=sys.stderr, flush=True)
    return lines


TABLES = {"scale": scale_table, "nodes": nodes_table, "samples": samples_table}


def text_of(lines):
    """Markdown."""
    whole = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in whole)


def _filled(found, made):
    """A part of the document, with its new table if there is one."""
    return f"{found[1]}\n{made[found[2]]}\n{found[3]}" if found[2] in made else found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", nargs="?", type=Path, help="where the tables are written")
    parser.add_argument("--table", choices=TABLES, action="append", help="all if not given")
    parser.add_argument("--ranks", type=int, action="append", help="P; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of lengths and noise")
    options = parser.parse_args()
    old = options.document.read_text(encoding="utf-8") if options.document else ""
    if options.document and {found[2] for found in SECTION.finditer(old)} != set(TABLES):
        needed = ", ".join(f"<!-- {name} -->" for name in TABLES)
        sys.exit(f"{options.document} needs the lines {needed}")
    made = {name: text_of(TABLES[name](options)) for name in options.table or TABLES}
    if options.document:
        new = SECTION.sub(lambda found: _filled(found, made), old)
        options.document.write_text(new, encoding="utf-8")
    else:
        print("\n".join(made.values()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
