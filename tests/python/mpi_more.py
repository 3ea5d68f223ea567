"""Plans, algorithms, communicators, threads and errors."""

import threading
import time

import numpy as np
from mpi4py import MPI
from mpi_support import (
    COMM,
    ME,
    RANKS,
    OnlyDlpack,
    P,
    buffers,
    case,
    lengths_sent,
    require_equal,
    require_error,
)

import rondo


@case
def every_algorithm_that_is_named():
    send, recv, due, _ = buffers([3] * P, np.int32)
    for row in rondo.registry.algorithms():
        if row.collective.startswith("neighbor_"):
            continue
        rondo.set_algorithm(COMM, row.collective, row.name)
        recv[:] = 0
        getattr(rondo, row.collective)(COMM, send, recv)
        require_equal(recv, due)
    for collective in ("alltoall", "alltoallv"):
        rondo.set_algorithm(COMM, collective)


@case
def plans():
    lengths = lengths_sent()
    send, recv, due, starts = buffers(lengths, np.float64)
    other = np.zeros_like(send)
    info = MPI.Info.Create()
    info.Set("rondo_alltoallv", "two_phase_bruck")
    spec = [send, lengths, starts, MPI.DOUBLE], [recv, lengths, starts, MPI.DOUBLE]
    with rondo.plan("alltoallv", COMM, *spec, info) as plan:
        for _ in range(3):
            recv[:] = -1
            plan.execute()
            require_equal(recv, due)
        assert plan.algorithm.startswith("two_phase_bruck:radix="), plan.algorithm
        plan.execute(2 * send, OnlyDlpack(other))
        require_equal(other, 2 * due)
    info.Free()


@case
def plans_say_what_they_are():
    send, recv, _, _ = buffers([3] * P, np.int32)
    info = MPI.Info.Create()
    info.Set("rondo_alltoall", "tunable_bruck:radix=2")
    plan = rondo.plan("alltoall", COMM, send, recv, info)
    said = f"Plan(collective='alltoall', ranks={P}, "
    assert repr(plan) == f"{said}algorithm={plan.algorithm!r})", repr(plan)
    assert plan.algorithm.startswith("tunable_bruck:radix=2"), plan.algorithm
    plan.free()
    assert repr(plan) == f"{said}freed)", repr(plan)
    info.Free()


@case
def plans_that_measure():
    send, recv, due, _ = buffers([3] * P, np.int32)
    info = MPI.Info.Create()
    info.Set("rondo_measure", "1")
    with rondo.plan("alltoall", COMM, send, recv, info) as plan:
        for _ in range(100):
            recv[:] = -1
            plan.execute()
            require_equal(recv, due)
        assert set(COMM.allgather(plan.algorithm)) == {plan.algorithm}
    info.Free()


@case
def plans_of_the_other_two():
    send, recv, due, _ = buffers([3] * P, np.int32)
    in_place = send.copy()
    with rondo.plan("alltoall", COMM, MPI.IN_PLACE, in_place) as plan:
        plan.execute()
        require_equal(in_place, due)
        other = send.copy()
        plan.execute(recv=other)
        require_equal(other, due)
    layout = [3] * P, (12 * RANKS).tolist(), [MPI.INT] * P
    with rondo.plan("alltoallw", COMM, [send, *layout], [recv, *layout]) as plan:
        plan.execute()
    require_equal(recv, due)


@case
def other_communicators():
    """Half of the ranks, in another order."""
    half = COMM.Split(ME % 2, -ME)
    rondo.prepare(half)
    peers = half.allgather(ME)
    send = np.array([10 * ME + peer for peer in peers])
    recv = np.zeros_like(send)
    rondo.alltoall(half, send, recv)
    require_equal(recv, [10 * peer + ME for peer in peers])
    half.Free()


@case
def between_two_groups():
    """The blocks of an inter-communicator go to the other group."""
    if P < 2:
        return
    half = COMM.Split(ME % 2, ME)
    between = half.Create_intercomm(0, COMM, 1 - ME % 2)
    others = [rank for rank in range(P) if rank % 2 != ME % 2]
    recv = np.zeros(len(others), np.int64)
    rondo.alltoall(between, np.array([10 * ME + other for other in others]), recv)
    require_equal(recv, [10 * other + ME for other in others])
    between.Free()
    half.Free()


@case
def other_threads_run_meanwhile():
    """While a rank waits in the exchange for one that comes late, another of its threads counts."""
    if P < 2:
        return
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        return
    rondo.prepare(COMM)
    send, recv = np.zeros(P), np.zeros(P)
    ticks, entered = COMM.Dup(), threading.Event()

    def tick():
        entered.wait()
        for _ in range(3):
            time.sleep(0.02)
            ticks.send(None, 0)

    late = 0
    if ME == 0:
        late = 3 * (P - 1)
        deadline = time.monotonic() + 60
        while late > 0 and time.monotonic() < deadline:
            if ticks.iprobe():
                ticks.recv()
                late -= 1
            else:
                time.sleep(0.002)
        rondo.alltoall(COMM, send, recv)
        for _ in range(late):
            ticks.recv()
    else:
        ticker = threading.Thread(target=tick)
        ticker.start()
        entered.set()
        rondo.alltoall(COMM, send, recv)
        ticker.join()
    ticks.Free()
    assert late == 0, f"{late} ticks came only after rank 0"


@case
def errors_of_mpi():
    """All ranks make the same mistake, so that none waits for another."""
    two = np.zeros(2 * P, np.int32)
    require_error(
        MPI.ERR_ARG, "no alltoallv algorithm 'pigeon'",
        rondo.set_algorithm, COMM, "alltoallv", "pigeon",
    )  # fmt: skip
    require_error(MPI.ERR_COUNT, "", rondo.alltoall, COMM, [two, -1], [two.copy(), -1])
    require_error(
        MPI.ERR_TRUNCATE, "",
        rondo.alltoallv, COMM, [two, [1] * P], [two.copy(), [2] * P],
    )  # fmt: skip
    require_error(MPI.ERR_TYPE, "", rondo.alltoall, COMM, [two, 1, MPI.DATATYPE_NULL], two.copy())
    send, recv, due, _ = buffers([3] * P, np.int32)
    rondo.alltoall(COMM, send, recv)
    require_equal(recv, due)
