#!/usr/bin/env python3
"""Time and peak memory of shuffles of a table: rondo.arrow, mpi4py by hand, and Dask.

shuffle_tables.py [--rows ROWS] [--ranks P] [--runs N] [--slice-bytes BYTES] [--only NAME...]

The table has a key, two numbers and a text in each row. Every run is a job of its own, and the ways
take turns. A run shuffles the table once, which touches new memory, and then three times more. The
peak is how much the memory of all ranks, or of Dask's workers, has grown in the first shuffle.
Needs pyarrow, mpi4py and the package; Dask (pip install "dask[dataframe,distributed]") if it is
there.
"""

import argparse
import importlib.util
import json
import logging
import statistics
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
AGAIN = 3


def reset_peak():
    """The memory of this process, from which its peak counts anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def memory(name):
    """A number of bytes from /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def table_of(rank, ranks, rows):
    """The rows of a rank: their keys are drawn from all keys."""
    import numpy as np
    import pyarrow as pa

    own = rows // ranks
    chance = np.random.default_rng(rank)
    texts = pa.array(chance.integers(0, rows, own)).cast(pa.string())
    return pa.table(
        {
            "customer": chance.integers(0, rows, own),
            "order": np.arange(own),
            "price": chance.random(own),
            "name": pa.compute.binary_join_element_wise("customer number", texts, " "),
        }
    )


def on_ranks(way, options):
    """Shuffle on every rank; rank 0 prints the times and the peak."""
    sys.path.insert(0, str(SOURCE / "examples"))
    import join_tables
    from mpi4py import MPI

    import rondo.arrow

    comm = MPI.COMM_WORLD
    table = table_of(comm.rank, comm.size, options.rows)

    def shuffle():
        if way == "mpi4py":
            return join_tables.shuffle_by_hand(table)
        return rondo.arrow.shuffle(table, "customer", comm, slice_bytes=options.slice_bytes)

    def timed():
        comm.Barrier()
        start = time.perf_counter()
        kept = shuffle()
        return comm.allreduce(time.perf_counter() - start, MPI.MAX), kept

    before = reset_peak()
    first, kept = timed()
    peak = comm.allreduce(memory("VmHWM") - before)
    del kept
    later = [timed()[0] for _ in range(AGAIN)]
    if comm.rank == 0:
        print(json.dumps({"first": first, "later": statistics.median(later), "peak": peak}))


def on_workers(options):
    """Shuffle with Dask: as many workers as ranks, each with one thread."""
    import dask.dataframe
    from dask.distributed import Client, wait

    def timed(number):
        """Workers find a result again if its key has the same name."""
        key = f"customer {number}"
        renamed = frame.rename(columns={"customer": key})
        start = time.perf_counter()
        kept = renamed.shuffle(key).persist()
        wait(kept)
        return time.perf_counter() - start, client.run(memory, "VmHWM")

    settings = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.ERROR}
    with Client(n_workers=options.ranks, **settings) as client:
        frame = dask.dataframe.from_map(
            lambda rank: table_of(rank, options.ranks, options.rows).to_pandas(),
            range(options.ranks),
        ).persist()
        wait(frame)
        before = client.run(reset_peak)
        first, peaks = timed(0)
        later = [timed(number + 1)[0] for number in range(AGAIN)]
    peak = sum(peaks[worker] - before[worker] for worker in peaks)
    print(json.dumps({"first": first, "later": statistics.median(later), "peak": peak}))


def measured(way, options):
    """What a run of its own prints."""
    script = [sys.executable, __file__, "--way", way]
    for name in ("rows", "ranks", "slice_bytes"):
        script += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    launch = [] if way == "dask" else [*options.launcher.split(), "-n", str(options.ranks)]
    done = subprocess.run([*launch, *script], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(options):
    """Run all ways in turns, and print medians, and ratios within a turn."""
    ways = ["rondo.arrow", "mpi4py"] + ["dask"] * bool(importlib.util.find_spec("distributed"))
    ways = [way for way in ways if way in (options.only or ways)]
    turns = [{way: measured(way, options) for way in ways} for _ in range(options.runs)]
    for name, unit in (("first", 1), ("later", 1), ("peak", 1 << 20)):
        for way in ways:
            values = [turn[way][name] / unit for turn in turns]
            ratios = sorted(turn[way][name] / turn[ways[0]][name] for turn in turns)
            low, middle, high = ratios[0], statistics.median(ratios), ratios[-1]
            print(
                f"{name:6} {way:12} median {statistics.median(values):9.3f}, "
                f"{middle:.2f} times {ways[0]}'s ({low:.2f} to {high:.2f})"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=4_000_000, help="of all ranks together")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--slice-bytes", type=int, default=16 << 20)
    parser.add_argument("--launcher", default="mpirun", help="what starts ranks; -n P follows")
    parser.add_argument("--only", nargs="*", help="the ways to run; by default all")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way == "dask":
        on_workers(options)
    elif options.way:
        on_ranks(options.way, options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
