"""Exchanges that are started and completed later."""

import gc

import numpy as np
from mpi4py import MPI
from mpi_support import (
    COMM,
    P,
    blocks_due,
    blocks_sent,
    case,
    joined,
    lengths_sent,
    require_equal,
    require_error,
    require_raised,
)

import rondo

CHANNELS = 4


def sides():
    lengths = lengths_sent()
    send, _ = joined(blocks_sent(lengths, np.int64))
    due = blocks_due(lengths, np.int64)
    return [send, [len(block) for block in blocks_sent(lengths, np.int64)]], due


@case
def several_at_a_time():
    rondo.prepare(COMM)
    send, due = sides()
    counts = [len(block) for block in due]
    data, _ = joined(due)
    for _ in range(3):
        received = [np.full(len(data), -1) for _ in range(CHANNELS + 2)]
        requests = [rondo.ialltoallv(COMM, send, [recv, counts]) for recv in received]
        for request in reversed(requests):
            request.wait()
            assert repr(request) == "Request(complete)", request
            assert request.test()
        for recv in received:
            require_equal(recv, data)


@case
def buffers_are_kept_alive():
    counts = [1] * P
    recv = np.empty(P, np.int64)
    request = rondo.ialltoallv(COMM, [np.full(P, COMM.rank), counts], [recv, counts])
    gc.collect()
    while not request.test():
        pass
    require_equal(recv, np.arange(P))


@case
def other_forms_and_plans():
    send, recv = np.full(P, COMM.rank, np.int64), np.empty(P, np.int64)
    starts = [8 * rank for rank in range(P)]
    kinds = [MPI.INT64_T] * P
    ways = [
        lambda: rondo.ialltoall(COMM, send, recv),
        lambda: rondo.ialltoallw(
            COMM, (send, [1] * P, starts, kinds), (recv, [1] * P, starts, kinds)
        ),
    ]
    with rondo.plan("alltoall", COMM, send, recv) as plan:
        ways.append(plan.start)
        for way in ways:
            for _ in range(CHANNELS + 1):
                recv[:] = -1
                way().wait()
                require_equal(recv, np.arange(P))


@case
def waiting_for_all():
    """Starts, a plan and a dynamic exchange; the first error comes when all are complete."""
    comm = COMM.Dup()
    rondo.prepare(comm)
    send, due = sides()
    counts = [len(block) for block in due]
    data, _ = joined(due)
    received = [np.full(len(data), -1) for _ in range(3)]
    with rondo.plan("alltoallv", comm, send, [received[2], counts]) as plan:
        requests = [rondo.ialltoallv(comm, send, [recv, counts]) for recv in received[:2]]
        requests += [plan.start(), rondo.ialltoallv_dynamic(comm, send)]
        rondo.waitall(request for request in requests)
        assert {repr(request) for request in requests} == {"Request(complete)"}
        rondo.waitall(requests)
    for recv in received:
        require_equal(recv, data)
    require_equal(requests[3].result.data, data)
    rondo.waitall([])
    require_raised(TypeError, "requests of rondo, got Request", rondo.waitall, [MPI.REQUEST_NULL])
    rondo.set_algorithm(comm, "alltoallv", "fused_bruck")
    requests = [
        rondo.ialltoallv(comm, [np.zeros(P), [1] * P], [np.zeros(count * P), [count] * P])
        for count in (2, 1)
    ]
    require_error(MPI.ERR_TRUNCATE, "to itself", rondo.waitall, requests)
    assert [repr(request) for request in requests] == ["Request(complete)"] * 2
    comm.Free()


@case
def errors_come_when_it_is_completed():
    comm = COMM.Dup()
    rondo.prepare(comm)
    rondo.set_algorithm(comm, "alltoallv", "fused_bruck")
    good = [np.zeros(P), [1] * P]
    for _ in range(CHANNELS):
        rondo.ialltoallv(comm, good, [np.zeros(P), [1] * P]).wait()
    wrong = [np.zeros(2 * P), [2] * P]
    request = rondo.ialltoallv(comm, good, wrong)
    require_error(MPI.ERR_TRUNCATE, "to itself", request.wait)
    request.wait()
    require_raised(TypeError, "mpi4py.MPI.Comm", rondo.ialltoall, None, np.zeros(P), np.zeros(P))
    comm.Free()
