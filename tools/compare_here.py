#!/usr/bin/env python3
r"""Compare rondo-bench's measurements on this machine with `rondo simulate`.

compare_here.py [--profile FILE] RUNS.json...

    rondo tune --budget 60s -- tools/mpirun -n 8
    tools/mpirun -n 8 build/bin/rondo-bench alltoallv --bytes 16,256,4096 \
        --format json --output runs.json
    tools/compare_here.py runs.json

The machine is that of the profile, which `rondo tune` wrote. Prints a table, then the median error
and how many pairs of algorithms at the same point are in the measured order. The MPI library's own
call is left out, because its algorithm is unknown. The machine should be quiet.
"""

import argparse
import itertools
import statistics
from pathlib import Path

from rondo import profiles, results, simulate


def simulated(row, machine):
    return simulate.simulate(
        results.full_name(row),
        row["ranks"],
        row["ranks"] // row["nodes"],
        row["bytes"],
        machine,
        collective=row["collective"],
        distribution=row["distribution"],
    ).seconds


def compare(rows, machine):
    """(measured, simulated) seconds by point and algorithm."""
    points = {}
    for row in rows:
        if row["algorithm"] != "mpi":
            point = (row["collective"], row["nodes"], row["ranks"], row["bytes"])
            pair = (row["median_us"] * 1e-6, simulated(row, machine))
            points.setdefault(point, {})[results.full_name(row)] = pair
    return points


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", type=Path, nargs="+", help="JSON files that rondo-bench has written"
    )
    parser.add_argument("--profile", type=Path, help="instead of the one in use here")
    options = parser.parse_args()
    profile = profiles.read(options.profile) if options.profile else profiles.in_use().profile
    if profile is None:
        parser.error("no profile; run rondo tune")
    machine = simulate.simulated_machine(profile.machine)
    lines = [line for file in options.files for line in file.read_text().splitlines()]
    points = compare(results.rows_of(lines), machine)
    print("| exchange | N | P | S | algorithm | measured, us | simulated, us | off |")
    print("| --- " * 8 + "|")
    errors, same, pairs = [], 0, 0
    for point, times in points.items():
        for name, (measured, ours) in times.items():
            errors.append(abs(ours / measured - 1))
            cells = f"{measured * 1e6:.1f} | {ours * 1e6:.1f} | {ours / measured - 1:+.0%}"
            print(f"| {' | '.join(map(str, point))} | {name} | {cells} |")
        for one, other in itertools.combinations(times.values(), 2):
            pairs += 1
            same += (one[0] < other[0]) == (one[1] < other[1])
    print(f"\nmedian error {statistics.median(errors):.0%}; {same} of {pairs} pairs in order")


if __name__ == "__main__":
    main()
