#!/usr/bin/env python3
"""SimGrid's SMPI against `rondo simulate`: the real code and its schedules, on the same cluster.

    times.py [--source DIR] [--build DIR] [--ranks P]... [--bytes S]...

A rank a node, since SMPI knows no memory that ranks share; links of LATENCY and BANDWIDTH in either
direction, and neither copies nor overheads, which SMPI does not know by itself. Needs SimGrid and
rondo. Prints a table and the median difference; takes about ten minutes and 2 GB.
"""

import argparse
import pathlib
import statistics
import subprocess

import run

from rondo import simulate

LATENCY = 5e-6  # of each of the two links between nodes
BANDWIDTH = 1.25e9
ALGORITHMS = [
    "alltoall/spread_out",
    "alltoall/pairwise",
    "alltoall/zero_rotation_bruck",
    "alltoall/tunable_bruck:radix=4:ports=1",
    "alltoall/tunable_bruck:radix=4",
    "alltoallv/spread_out:window=8",
    "alltoallv/padded_bruck",
    "alltoallv/sloav",
    "alltoallv/two_phase_bruck",
    "alltoallv/fused_bruck:radix=4",
]
# SimGrid takes too long for a million messages, and its work grows with the square of the number of
# messages in flight: the most ranks of these algorithms.
MOST_RANKS = {
    "alltoall/spread_out": 64,
    "alltoall/pairwise": 256,
    "alltoallv/spread_out:window=8": 256,
}
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="node" suffix="" radical="0-{last}" speed="1Gf"
           bw="{bandwidth}Bps" lat="{latency}s" sharing_policy="SPLITDUPLEX"/>
</platform>
"""
MACHINE = f"""
[between]
latency_seconds = {2 * LATENCY}
seconds_per_byte = {1 / BANDWIDTH}
"""


def measured(program, build, ranks, size):
    """The seconds that SimGrid reports, by algorithm."""
    platform, hosts = build / f"times_{ranks}.xml", build / f"times_{ranks}.txt"
    text = PLATFORM.format(last=ranks - 1, bandwidth=BANDWIDTH, latency=LATENCY)
    platform.write_text(text)
    hosts.write_text("".join(f"node{rank}\n" for rank in range(ranks)))
    algorithms = [name for name in ALGORITHMS if ranks <= MOST_RANKS.get(name, ranks)]
    command = ["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts,
               "--log=root.thresh:critical", "--cfg=smpi/simulate-computation:no",
               "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
               "--cfg=network/TCP-gamma:0", "--cfg=contexts/stack-size:512",
               "--cfg=smpi/allgather:bruck",  # of the set-up, which is not counted
               program, size, *algorithms]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-4000:])
    lines = (line.split() for line in done.stdout.splitlines() if "/" in line)
    return {name: float(seconds) for name, seconds in lines}


def simulated(name, ranks, size):
    collective, _, algorithm = name.partition("/")
    machine = simulate.parse_machine(MACHINE)
    made = simulate.simulate(
        algorithm, ranks, 1, size, machine, collective=collective, distribution="constant"
    )
    return made.seconds


def main():
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, default=here.parents[2])
    parser.add_argument("--build", type=pathlib.Path, default=here.parents[2] / "build/smpi")
    parser.add_argument("--ranks", type=int, action="append")
    parser.add_argument("--bytes", type=int, action="append")
    options = parser.parse_args()
    options.build.mkdir(parents=True, exist_ok=True)
    program = run.compile_program(options.source, options.build, "times")
    print("| P | S | algorithm | SMPI, us | simulated, us | off |\n" + "| --- " * 6 + "|")
    off = []
    for ranks in options.ranks or [64, 256, 1000]:
        for size in options.bytes or [64, 1024]:
            for name, seconds in measured(program, options.build, ranks, size).items():
                ours = simulated(name, ranks, size)
                off.append(abs(ours / seconds - 1))
                times = f"{seconds * 1e6:.1f} | {ours * 1e6:.1f} | {ours / seconds - 1:+.0%}"
                print(f"| {ranks} | {size} | {name} | {times} |", flush=True)
    print(f"\nmedian difference {statistics.median(off):.1%}, largest {max(off):.0%}")


if __name__ == "__main__":
    main()
