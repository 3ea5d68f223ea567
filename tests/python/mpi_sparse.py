"""Exchanges in which ranks name only those to which they send."""

import numpy as np
from mpi4py import MPI
from mpi_support import COMM, ME, P, case, require_equal, require_raised

import rondo


def destinations_of(rank):
    """Every third distance from a rank, the rank itself included, in descending order."""
    return sorted({(rank + distance) % P for distance in range(0, P, 3)}, reverse=True)


def block(source, destination, dtype):
    return (np.arange(1 + (source + destination) % 4) + 10 * source + destination).astype(dtype)


def require_due(received, dtype):
    due = {rank: block(rank, ME, dtype) for rank in range(P) if ME in destinations_of(rank)}
    require_equal(received.sources, sorted(due))
    assert received.data.dtype == dtype, received.data.dtype
    found = received.blocks()
    for rank, numbers in due.items():
        require_equal(found[rank], numbers)
    require_equal(received.counts, [len(due[rank]) for rank in sorted(due)])


@case
def sparse_by_every_algorithm():
    ranks = destinations_of(ME)
    blocks = [block(ME, rank, np.int64) for rank in ranks]
    send = (np.concatenate(blocks), [len(one) for one in blocks])
    for row in rondo.registry.sparse_algorithms():
        rondo.set_algorithm(COMM, "sparse_alltoallv", row.name)
        received = rondo.sparse_alltoallv(COMM, ranks, send)
        require_due(received, np.int64)
        received.data[:] = 0  # an array of the caller's own
    rondo.set_algorithm(COMM, "sparse_alltoallv")


@case
def sparse_in_every_way_to_write_it():
    ranks = destinations_of(ME)
    blocks = [block(ME, rank, np.float32) for rank in ranks]
    send = (np.concatenate(blocks), [len(one) for one in blocks])
    for named in (tuple(ranks), np.array(ranks), np.array(ranks, np.uint8), list(ranks)):
        require_due(rondo.sparse_alltoallv(COMM, named, send), np.float32)
    starts = np.cumsum([0, *(len(one) for one in blocks)])[:-1]
    spec = (send[0], (send[1], starts), MPI.FLOAT)
    require_due(rondo.sparse_alltoallv(COMM, ranks, spec, np.float32), np.float32)


@case
def sparse_and_planned():
    ranks = destinations_of(ME)
    counts = [len(block(ME, rank, np.int64)) for rank in ranks]
    send = np.zeros(sum(counts), np.int64)
    with rondo.sparse_plan(COMM, ranks, (send, counts)) as plan:
        send[:] = np.concatenate([block(ME, rank, np.int64) for rank in ranks])
        plan.execute()
        require_due(plan.received, np.int64)
        other = np.zeros_like(plan.received.data)
        plan.received.data[:] = 0
        requests = [plan.start(), plan.start(recv=other)]
        for request in requests:
            request.wait()
        require_due(plan.received, np.int64)
        require_equal(other, plan.received.data)
        assert repr(plan).startswith(f"Plan(collective='sparse_alltoallv', ranks={P}"), plan
    with rondo.sparse_plan(COMM, [], (np.zeros(0), [])) as plan:
        plan.execute()
        assert plan.received.blocks() == {}
    require_raised(ValueError, "in place", rondo.sparse_plan, COMM, [0], MPI.IN_PLACE)


@case
def sparse_with_nothing():
    for counts in ([], np.zeros(0, np.int64)):
        received = rondo.sparse_alltoallv(COMM, [], (np.zeros(0), counts))
        assert received.data.size == 0 and received.sources.size == 0
    received = rondo.sparse_alltoallv(COMM, [ME], (np.zeros(0), [0]))
    assert received.blocks() == {}


@case
def sparse_errors():
    numbers = (np.zeros(1), [1])
    require_raised(ValueError, "in place", rondo.sparse_alltoallv, COMM, [0], MPI.IN_PLACE)
    require_raised(TypeError, "mpi4py.MPI.Comm", rondo.sparse_alltoallv, None, [0], numbers)
    for wrong in ([-1], [0.5], [[0]], [2**40]):
        require_raised(ValueError, "expecting ranks", rondo.sparse_alltoallv, COMM, wrong, numbers)
    require_raised(ValueError, "2 integers", rondo.sparse_alltoallv, COMM, [0, 1], numbers)
    require_raised(rondo.Error, "ranks 0 to", rondo.sparse_alltoallv, COMM, [P], numbers)
