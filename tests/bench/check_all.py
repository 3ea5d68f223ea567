#!/usr/bin/env python3
"""Every algorithm of the registry under rondo-bench --check: all exchanges, ranks, distributions.

    check_all.py LAUNCHER... BENCH     as in check_all.py tools/mpirun build/bin/rondo-bench

Prints "rows: N passed, N failed" over all lines of output; a line passes with errors: 0.
"""

import json
import subprocess
import sys

RANKS = (1, 2, 3, 5, 7, 8, 13, 16)
UNEVEN = ("uniform", "window:50", "power:0.99", "normal", "constant", "sparse:2")
CASES = [("alltoall", "constant")] + [
    (exchange, distribution) for exchange in ("alltoallv", "alltoallw") for distribution in UNEVEN
]


def run(command, exchange, distribution, ranks):
    *launcher, bench = command
    options = (
        "--algorithm all --bytes 16,1000 --iterations 3 --warmup 1 --check --quiet --format json"
    )
    words = [*launcher, "-n", str(ranks), bench, exchange, "--distribution", distribution]
    output = subprocess.run([*words, *options.split()], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]
    wrong = [row for row in rows if row["errors"] != 0]
    for row in wrong:
        print(f"FAIL {exchange} {distribution} on {ranks}: {row}")
    if not rows or output.returncode not in (0, 1):
        print(f"FAIL {' '.join(words)}: exit status {output.returncode}\n{output.stderr}")
        return 0, 1
    return len(rows) - len(wrong), len(wrong)


def main():
    passed = failed = 0
    for ranks in RANKS:
        for exchange, distribution in CASES:
            right, wrong = run(sys.argv[1:], exchange, distribution, ranks)
            passed += right
            failed += wrong
        print(f"{ranks} ranks: done", flush=True)
    print(f"rows: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
