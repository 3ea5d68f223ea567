"""Dask's workers that exchange their rows among themselves: the scheduler sees no data."""

from contextlib import closing
from functools import partial
from itertools import count
from uuid import uuid4

import numpy as np
from distributed import Client, LocalCluster, Variable

import rondo


def gathered(rank, size, names, own):
    """What each rank has given, by variables of the scheduler with the next name."""
    name = next(names)
    Variable(f"{name} {rank}").set(own)
    return [Variable(f"{name} {other}").get() for other in range(size)]


def work(rank, size, run):
    rows = np.random.default_rng(rank).integers(0, 1000, 10_000)
    rows = rows[np.argsort(rows % size, kind="stable")]  # in the order of the ranks that get them
    counts = np.bincount(rows % size, minlength=size)
    names = (f"{run} {number}" for number in count())
    allgather = partial(gathered, rank, size, names)
    with rondo.Group(rank, size, allgather=allgather) as group:
        mine = group.alltoallv_dynamic([rows, counts]).data
    return len(mine), set((mine % size).tolist())


if __name__ == "__main__":
    cluster = LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None)
    with closing(cluster), Client(cluster) as client:
        workers = list(client.scheduler_info()["workers"])
        run = uuid4().hex  # no other uses the same variables
        futures = [
            client.submit(work, rank, len(workers), run, workers=[worker])
            for rank, worker in enumerate(workers)
        ]
        for rank, (rows, owners) in enumerate(client.gather(futures)):
            print(f"worker {rank} has {rows} rows of {owners}")
