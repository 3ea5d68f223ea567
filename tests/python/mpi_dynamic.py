"""Exchanges in which no rank knows how much it receives."""

import numpy as np
from mpi4py import MPI
from mpi_support import (
    COMM,
    ME,
    OnlyDlpack,
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

ALGORITHMS = ["auto", "mpi", "node_aware", "fused_bruck", "spread_out"]


def require_arrived(received, due):
    data, starts = joined(due)
    assert received.data.dtype == data.dtype, received.data.dtype
    require_equal(received.data, data)
    require_equal(received.counts, [len(block) for block in due])
    require_equal(received.displs, starts)


@case
def dynamic_by_every_algorithm():
    lengths = lengths_sent()
    send, _ = joined(blocks_sent(lengths, np.int64))
    for algorithm in ALGORITHMS:
        rondo.set_algorithm(COMM, "alltoallv", algorithm)
        received = rondo.alltoallv_dynamic(COMM, [send, lengths])
        require_arrived(received, blocks_due(lengths, np.int64))
        received.data[:] = 0  # an array of the caller's own
    rondo.set_algorithm(COMM, "alltoallv")


@case
def dynamic_in_every_way_to_write_it():
    lengths = lengths_sent()
    for dtype in (np.float32, np.complex128, np.uint8):
        kind = MPI._typedict[np.dtype(dtype).char]
        send, starts = joined(blocks_sent(lengths, dtype), 2)
        for spec in (
            [send, (lengths, starts)],
            [send, lengths, starts, kind],
            [OnlyDlpack(send), (np.array(lengths), np.array(starts)), kind.tocode()],
        ):
            received = rondo.alltoallv_dynamic(COMM, spec)
            require_arrived(received, blocks_due(lengths, dtype))


@case
def dynamic_with_a_derived_type():
    pair = MPI.INT.Create_contiguous(2).Commit()
    send, _ = joined(blocks_sent([4] * P, np.int32))
    spec = [send, [2] * P, pair]
    require_arrived(rondo.alltoallv_dynamic(COMM, spec, np.int32), blocks_due([4] * P, np.int32))
    require_raised(ValueError, "give a dtype", rondo.alltoallv_dynamic, COMM, spec)
    pair.Free()


@case
def dynamic_and_started():
    lengths = lengths_sent()
    comm = COMM.Dup()
    send, _ = joined(blocks_sent(lengths, np.int64))
    require_error(
        MPI.ERR_COMM, "Rondo_Comm_prepare", rondo.ialltoallv_dynamic, comm, [send, lengths]
    )
    rondo.prepare(comm)
    started = [rondo.ialltoallv_dynamic(comm, [send, lengths]) for _ in range(6)]
    for request in reversed(started[:3]):
        request.wait()
    for request in started:
        require_arrived(request.result, blocks_due(lengths, np.int64))
        assert request.result is request.result
        assert request.test()
    comm.Free()


@case
def dynamic_and_started_errors():
    comm = COMM.Dup()
    rondo.prepare(comm)
    send = [np.arange(3, dtype=np.int32), ([3] * P, [0] * P)]
    wrong = np.float64 if ME == P - 1 else None
    request = rondo.ialltoallv_dynamic(comm, send, wrong)
    if ME == P - 1:
        require_error(MPI.ERR_TRUNCATE, "is not a multiple", request.wait)
        request.wait()
        require_error(MPI.ERR_TRUNCATE, "is not a multiple", lambda: request.result)
    else:
        request.wait()
        assert request.result.counts.tolist() == [3] * P
    comm.Free()


@case
def dynamic_with_nothing():
    received = rondo.alltoallv_dynamic(COMM, [np.zeros(0), [0] * P])
    require_arrived(received, [np.zeros(0)] * P)


@case
def dynamic_errors():
    require_raised(ValueError, "in place", rondo.alltoallv_dynamic, COMM, MPI.IN_PLACE)
    require_raised(TypeError, "mpi4py.MPI.Comm", rondo.alltoallv_dynamic, None, np.zeros(P))
    comm = COMM.Dup()
    rondo.set_algorithm(comm, "alltoallv", "fused_bruck")
    # Three ints from every rank are not a multiple of the last rank's doubles.
    send = [np.arange(3, dtype=np.int32), ([3] * P, [0] * P)]
    if ME == P - 1:
        require_error(
            MPI.ERR_TRUNCATE, "is not a multiple", rondo.alltoallv_dynamic, comm, send, np.float64
        )
    else:
        rondo.alltoallv_dynamic(comm, send)
    comm.Free()
