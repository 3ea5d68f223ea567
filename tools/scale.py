#!/usr/bin/env python3
"""What Rondo's own algorithms gain at the papers' scale, on the simulated Theta: two tables.

scale.py [DOCUMENT] [--table scale|nodes]... [--ranks P]... [--seed SEED]

Prints the tables, or writes them into the document, between the lines `<!-- scale -->` or
`<!-- nodes -->` and `<!-- end -->`. Needs rondo (pip install .); takes a quarter of an hour with
all numbers of ranks.
"""

import argparse
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rondo import simulate

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
SECTION = re.compile(r"(<!-- (scale|nodes) -->\n).*?(<!-- end -->\n)", re.DOTALL)


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


TABLES = {"scale": scale_table, "nodes": nodes_table}


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
    parser.add_argument("--table", choices=TABLES, action="append", help="both if not given")
    parser.add_argument("--ranks", type=int, action="append", help="P; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of lengths and noise")
    options = parser.parse_args()
    old = options.document.read_text(encoding="utf-8") if options.document else ""
    if options.document and {found[2] for found in SECTION.finditer(old)} != set(TABLES):
        sys.exit(f"{options.document} needs the lines <!-- scale --> and <!-- nodes -->")
    made = {name: text_of(TABLES[name](options)) for name in options.table or TABLES}
    if options.document:
        new = SECTION.sub(lambda found: _filled(found, made), old)
        options.document.write_text(new, encoding="utf-8")
    else:
        print("\n".join(made.values()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
