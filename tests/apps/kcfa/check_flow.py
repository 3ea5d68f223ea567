#!/usr/bin/env python3
"""Compare what rondo-kcfa finds with an independent abstract machine: counts and the whole flow.

check_flow.py --batch build/tests/.../kcfa_batch --ranks 1 3 --random 200 --mpirun tools/mpirun ...
"""

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import programs
import reference

ALL_K = (0, 1, 2, 4, 8)


def items_of(options):
    """The programs, each with its name for errors."""
    items = [
        {"name": name, "text": text, "k": ALL_K if options.few_named else range(9)}
        for name, text in programs.NAMED.items()
    ]
    for calls in range(1, options.worst + 1):
        for variables in (1, options.worst):
            items.append({"generate": f"worst:{variables},{calls}", "k": ALL_K})
    for seed in range(options.random):
        items.append({"generate": f"random:{20 + seed % 80},{options.seed + seed}", "k": ALL_K})
    return [{**item, "k": list(item["k"])} for item in items]


def analyse(options, items, ranks, algorithm):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "programs.json"
        path.write_text(json.dumps(items), encoding="utf-8")
        command = [*options.mpirun, "-n", str(ranks), options.batch, str(path), algorithm]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


class Expected:
    """The reference's answers, each computed once."""

    def __init__(self):
        self.found = {}

    def of(self, text, k):
        if (text, k) not in self.found:
            self.found[text, k] = reference.analyse(text, k)
        return self.found[text, k]


def difference(result, expected):
    """The error in the result of one program, or None."""
    counts, flow = expected.of(result["text"], result["k"])
    if result["counts"] != counts:
        return f"found {result['counts']}, and the reference {counts}"
    if result["flow"] != flow:
        return "\n".join(
            difflib.unified_diff(flow, result["flow"], "reference", "found", "", "", 0)
        )
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 5, 7, 8, 13, 16])
    parser.add_argument("--algorithms", nargs="+", default=["auto"])
    parser.add_argument("--random", type=int, default=250, help="how many random programs")
    parser.add_argument("--seed", type=int, default=1, help="of the first random program")
    parser.add_argument("--worst", type=int, default=4, help="up to worst:W,W")
    parser.add_argument("--few-named", action="store_true", help="written programs with few k")
    parser.add_argument("--mpirun", required=True, nargs=argparse.REMAINDER)
    options = parser.parse_args()
    items = items_of(options)
    names = [item.get("name", item.get("generate")) for item in items for _ in item["k"]]
    expected = Expected()
    wrong = 0
    for ranks in options.ranks:
        for algorithm in options.algorithms:
            results = analyse(options, items, ranks, algorithm)
            if len(results) != len(names):
                sys.exit(f"{len(results)} results for {len(names)} analyses")
            for name, result in zip(names, results):
                differs = difference(result, expected)
                if differs:
                    wrong += 1
                    print(f"{name}, k = {result['k']}, {ranks} ranks, {algorithm}: {differs}")
            rounds = sum(result["rounds"] for result in results)
            print(
                f"{ranks} ranks, {algorithm}: {len(results)} analyses in {rounds} rounds",
                flush=True,
            )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
