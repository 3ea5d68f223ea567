"""Random walkers, as in walkers.c: in a step each walker goes to the rank that owns its node."""

import sys

import numpy as np
from mpi4py import MPI

import rondo

NODES, WALKERS = 1 << 16, 32
FACTOR, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
comm = MPI.COMM_WORLD


def moved(walkers):
    """The nodes to which they go: the next numbers of a random generator."""
    return (walkers * FACTOR + INCREMENT) >> np.uint64(1)


def owners(walkers):
    return (walkers >> np.uint64(20)) % np.uint64(NODES) * np.uint64(comm.size) // np.uint64(NODES)


def by_mpi(walkers, counts):
    came = np.empty_like(counts)
    comm.Alltoall(counts, came)
    received = np.empty(came.sum(), walkers.dtype)
    comm.Alltoallv((walkers, counts), (received, came))
    return received


def by_rondo(walkers, counts):
    return rondo.alltoallv_dynamic(comm, (walkers, counts)).data


def walk(exchange, steps):
    walkers = np.arange(WALKERS, dtype=np.uint64) + np.uint64(comm.rank * WALKERS)
    start = MPI.Wtime()
    for _ in range(steps):
        walkers = moved(walkers)
        to = owners(walkers).astype(int)
        order = np.argsort(to, kind="stable")
        walkers = exchange(walkers[order], np.bincount(to, minlength=comm.size))
    seconds = MPI.Wtime() - start
    total = comm.allreduce(int((walkers % np.uint64(NODES)).sum()))
    if comm.rank == 0:
        print(f"{exchange.__name__}: {steps} steps: sum {total}, {seconds:.2f} s")


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
walk(by_mpi, steps)
walk(by_rondo, steps)
