#!/usr/bin/env python3
"""Closures of graphs whose answers are known, with every algorithm on several numbers of ranks.

check_graphs.py FOLDER --closure build/bin/rondo-closure --bench build/bin/rondo-bench
                [--ranks 1,2,5,8,16] [--algorithms all] [--graphs NAME,...] [--mpirun COMMAND...]

FOLDER/README.md has a table with the columns file, edges, closure and iterations. Exit status: 0 if
all are as it says, 1 if not.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

RANKS = "1,2,5,8,16"
COLUMNS = ("file", "edges", "closure", "iterations")
LIMIT_SECONDS = 3600


class Known(NamedTuple):
    """What is known of a graph."""

    path: Path
    edges: int
    paths: int
    iterations: int


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def last_number(cell):
    """121,544, or of 7,035 (7,029) the one in parentheses, which counts different edges."""
    return int(re.findall(r"[\d,]+", cell)[-1].replace(",", ""))


def read_table(folder):
    rows = [
        cells_of(line) for line in (folder / "README.md").read_text().splitlines() if "|" in line
    ]
    titles = [[cell.split(" ")[0] for cell in row] for row in rows]
    at = next((i for i, row in enumerate(titles) if set(COLUMNS) <= set(row)), None)
    if at is None:
        sys.exit(f"{folder}/README.md: no table has the columns {', '.join(COLUMNS)}")
    where = [titles[at].index(column) for column in COLUMNS]
    graphs = []
    for row in rows[at + 2 :]:
        name, *numbers = (row[i] for i in where)
        graphs.append(Known(folder / name, *map(last_number, numbers)))
    return graphs


def registered(bench):
    """The names of all algorithms for alltoallv, `auto` too."""
    done = subprocess.run([bench, "--list"], capture_output=True, text=True, check=True)
    block = re.split(r"^(?=\S)", done.stdout, flags=re.MULTILINE)
    names = [
        match[1]
        for part in block
        if part.startswith("alltoallv")
        for match in re.finditer(r"^  (\w+)", part, flags=re.MULTILINE)
    ]
    if not names:
        sys.exit(f"{bench} --list names no algorithm for alltoallv")
    return names if "auto" in names else [*names, "auto"]


def differences(graph, report):
    found = Known(graph.path, report["edges"], report["paths"], report["iterations"])
    return [
        f"{field} {getattr(found, field):,} instead of {getattr(graph, field):,}"
        for field in ("edges", "paths", "iterations")
        if getattr(found, field) != getattr(graph, field)
    ]


def check(options, graph, ranks, algorithms):
    """What is wrong with one run of all algorithms, in a sentence, or nothing."""
    command = [*options.mpirun, "-n", str(ranks), options.closure, str(graph.path)]
    command += ["--algorithm", ",".join(algorithms), "--format", "json"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {LIMIT_SECONDS} s"
    if done.returncode != 0:
        return done.stderr.strip() or f"status {done.returncode}"
    report = json.loads(done.stdout)
    ran = [arm["algorithm"] for arm in report["arms"]]
    if ran != algorithms:
        return f"it ran {', '.join(ran)}"
    return "; ".join(differences(graph, report))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--closure", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--ranks", default=RANKS)
    parser.add_argument("--algorithms", default="all", help="several between commas")
    parser.add_argument("--graphs", help="some of the files, between commas")
    parser.add_argument("--mpirun", nargs=argparse.REMAINDER, default=["mpirun"], help="comes last")
    return parser.parse_args()


def main():
    options = parse_options()
    graphs = read_table(options.folder)
    if options.graphs:
        names = options.graphs.split(",")
        graphs = [graph for graph in graphs if graph.path.name in names]
        if len(graphs) != len(names):
            sys.exit(f"{options.folder}/README.md does not have all of {options.graphs}")
    named = options.algorithms.split(",")
    algorithms = registered(options.bench) if options.algorithms == "all" else named
    failed = runs = 0
    for graph in graphs:
        for ranks in map(int, options.ranks.split(",")):
            start = time.monotonic()
            wrong = check(options, graph, ranks, algorithms)
            runs += len(algorithms)
            failed += bool(wrong)
            verdict = f"FAIL: {wrong}" if wrong else f"ok: {graph.paths:,} paths"
            seconds = time.monotonic() - start
            print(
                f"{graph.path.name}, {ranks} ranks, {len(algorithms)} algorithms, "
                f"{seconds:.1f} s: {verdict}",
                flush=True,
            )
    print(f"{runs} runs with {', '.join(algorithms)}; {failed} job(s) failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
