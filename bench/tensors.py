#!/usr/bin/env python3
"""Measure exchanges of PyTorch's tensors: Rondo, over MPI and without it, gloo and mpi4py.

mpirun -n RANKS python3 bench/tensors.py [--bytes SIZES] [--seconds S] [--seed N] [--uneven]

SIZES are what each rank sends to all ranks together. Every way exchanges the same tensors. In each
round all ways take their turn in an order that the seed shuffles, each after a barrier; a sample is
the time of the slowest rank. Ratios are those of the medians to gloo's, and their range is that of
the ratios between the quartiles of the rounds.
"""

import argparse
import random
import statistics
import sys
import time

import torch
import torch.distributed as dist
from mpi4py import MPI

import rondo.torch

sys.dont_write_bytecode = True  # the part lies in the source tree

from sizes import parse_sizes  # noqa: E402

WORLD = MPI.COMM_WORLD
LEAST_ROUNDS = 12


def ways(output, input, arriving, sent):
    """By name, what exchanges these tensors."""
    numbers = [output.numpy(), arriving], [input.numpy(), sent]
    splits = (output, input, arriving, sent)
    return {
        "gloo": lambda: dist.all_to_all_single(*splits, group=GLOO),
        "mpi4py": lambda: WORLD.Alltoallv(numbers[1], numbers[0]),
        "rondo": lambda: rondo.torch.all_to_all_single(*splits),
        "rondo, started": lambda: rondo.torch.all_to_all_single(*splits, async_op=True).wait(),
        "torch.distributed over rondo": lambda: dist.all_to_all_single(*splits),
        "rondo without MPI": lambda: rondo.torch.all_to_all_single(*splits, group=GROUP),
        "rondo.Group": lambda: GROUP.alltoallv(numbers[1], numbers[0]),
    }


def tensors(size, is_uneven):
    """Of that many bytes; with uneven blocks, those to the next rank are as long as all others."""
    ranks, rows = WORLD.size, max(WORLD.size, size // 4)
    table = [[rows // ranks] * ranks for _ in range(ranks)]
    if is_uneven and ranks > 1:
        for rank, row in enumerate(table):
            row[:] = [rows // 2 // (ranks - 1)] * ranks
            row[(rank + 1) % ranks] = rows // 2
    sent, arriving = table[WORLD.rank], [row[WORLD.rank] for row in table]
    return torch.zeros(sum(arriving)), torch.full((sum(sent),), 1.0 + WORLD.rank), arriving, sent


def measured(calls, seconds, order):
    """The samples of each way, one of each round."""
    samples = {name: [] for name in calls}
    end = time.monotonic() + seconds
    for count in range(10**6):
        if WORLD.bcast(count >= LEAST_ROUNDS and time.monotonic() > end):
            break
        for name in order.sample(list(calls), len(calls)):
            WORLD.Barrier()
            start = time.perf_counter()
            calls[name]()
            samples[name].append(WORLD.allreduce(time.perf_counter() - start, MPI.MAX))
    return samples


def check(calls, output, arriving):
    """Every way must bring the same."""
    due = torch.cat([torch.full((size,), 1.0 + rank) for rank, size in enumerate(arriving)])
    for name, call in calls.items():
        output.zero_()
        call()
        if not torch.equal(output, due):
            sys.exit(f"tensors: {name} received something else")


def row(size, name, samples):
    times, others = samples[name], samples["gloo"]
    ratios = sorted(mine / theirs for mine, theirs in zip(times, others))
    low, _, high = statistics.quantiles(ratios, n=4)
    median = statistics.median(times)
    ratio = median / statistics.median(others)
    cells = (
        WORLD.size,
        size,
        name,
        f"{1e6 * median:.0f}",
        f"{ratio:.2f} ({low:.2f} to {high:.2f})",
    )
    return f"| {' | '.join(map(str, cells))} |"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", default="8,128,1k,16k,256k,1m,4m,16m")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--uneven", action="store_true")
    return parser.parse_args()


def main():
    options = parse_arguments()
    order = random.Random(options.seed)
    if WORLD.rank == 0:
        print("| ranks | bytes | way | microseconds | of gloo's |\n| --- | --- | --- | --- | --- |")
    for size in parse_sizes(options.bytes):
        given = tensors(size, options.uneven)
        calls = ways(*given)
        check(calls, given[0], given[2])
        measured(calls, options.seconds / 4, order)  # warm, and what auto learns
        samples = measured(calls, options.seconds, order)
        if WORLD.rank == 0:
            for name in calls:
                print(row(size, name, samples), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("rondo")
    GLOO = dist.new_group(backend="gloo")
    GROUP = rondo.Group(WORLD.rank, WORLD.size, allgather=WORLD.allgather)
    main()
    dist.destroy_process_group()
