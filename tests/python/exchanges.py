"""What every rank of test_exchange.py runs: mpirun -n N python exchanges.py

Element k of the block from rank s to rank d is s * 10000 + d * 100 + k, so what must arrive is known
without any exchange. Ends with status 1 if a case is wrong on any rank.
"""

import threading
import time
import traceback

import numpy as np
from mpi4py import MPI

import rondo

COMM = MPI.COMM_WORLD
P, ME = COMM.Get_size(), COMM.Get_rank()
RANKS = np.arange(P)
CASES = []


def case(function):
    CASES.append(function)
    return function


def block(source, destination, length, dtype):
    return (source * 10000 + destination * 100 + np.arange(length)).astype(dtype)


def blocks_sent(lengths, dtype):
    return [block(ME, rank, length, dtype) for rank, length in zip(RANKS, lengths)]


def blocks_due(lengths, dtype):
    return [block(rank, ME, length, dtype) for rank, length in zip(RANKS, lengths)]


def joined(blocks, gap=0):
    """The blocks in one array, `gap` zeros before each, and where they begin."""
    space = np.zeros(gap, blocks[0].dtype)
    starts = np.cumsum([0] + [len(one) + gap for one in blocks])[:-1] + gap
    return np.concatenate([part for one in blocks for part in (space, one)]), starts.tolist()


class OnlyDlpack:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def require_equal(found, expected):
    np.testing.assert_array_equal(found, expected)


def require_error(error_class, sentence, call, *arguments):
    try:
        call(*arguments)
    except MPI.Exception as error:
        assert isinstance(error, rondo.Error), repr(error)
        assert error.Get_error_class() == error_class, error
        assert sentence in str(error), error
    else:
        raise AssertionError(f"no error: {sentence}")


def require_raised(kind, sentence, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}: {sentence}")


# How the two buffers of an alltoall of three elements a block may be written.
UNIFORM = [
    lambda array, kind: array,
    lambda array, kind: array.reshape(P, 3),
    lambda array, kind: memoryview(array),
    lambda array, kind: OnlyDlpack(array),
    lambda array, kind: [array, 3],
    lambda array, kind: (array, kind),
    lambda array, kind: [array, kind.tocode()],
    lambda array, kind: [array, 3, kind],
    lambda array, kind: [array, np.int64(3), kind],
    lambda array, kind: [MPI.buffer.frombuffer(array), 3, kind],
]


@case
def alltoall():
    for write in UNIFORM:
        for dtype in (np.float64, np.int32, np.complex128, np.uint8):
            kind = MPI._typedict[np.dtype(dtype).char]
            send, _ = joined(blocks_sent([3] * P, dtype))
            recv = np.zeros_like(send)
            rondo.alltoall(COMM, write(send, kind), write(recv, kind))
            require_equal(recv, joined(blocks_due([3] * P, dtype))[0])


@case
def alltoall_with_a_derived_type():
    pair = MPI.INT.Create_contiguous(2).Commit()
    send, _ = joined(blocks_sent([4] * P, np.int32))
    recv = np.zeros_like(send)
    rondo.alltoall(COMM, [send, pair], [recv, 2, pair])
    require_equal(recv, joined(blocks_due([4] * P, np.int32))[0])
    pair.Free()


@case
def alltoall_in_place():
    for here in (MPI.IN_PLACE, None):
        recv, _ = joined(blocks_sent([3] * P, np.float64))
        rondo.alltoall(COMM, here, recv)
        require_equal(recv, joined(blocks_due([3] * P, np.float64))[0])


def lengths_sent():
    return ((ME + RANKS) % 3).tolist()


@case
def alltoallv():
    """The lengths are the same both ways here, so one of the forms serves both sides."""
    lengths = lengths_sent()
    for gap in (0, 2):
        send, starts = joined(blocks_sent(lengths, np.int64), gap)
        due, _ = joined(blocks_due(lengths, np.int64), gap)
        forms = [
            lambda array, at=starts: [array, lengths, at, MPI.INT64_T],
            lambda array, at=starts: [array, (lengths, at), MPI.INT64_T],
            lambda array, at=starts: [array, (np.array(lengths), np.array(at))],
            lambda array, at=starts: [OnlyDlpack(array), (lengths, at), "l"],
        ]
        if gap == 0:
            forms += [
                lambda array: [array, lengths],
                lambda array: (array, np.array(lengths, np.int32), MPI.INT64_T),
                lambda array: [array, (lengths, None), MPI.INT64_T],
            ]
        for write in forms:
            recv = np.zeros_like(send)
            rondo.alltoallv(COMM, write(send), write(recv))
            require_equal(recv, due)


@case
def alltoallv_of_equal_blocks():
    """Counts that are left out fill the buffer; one number serves all ranks."""
    for write in (
        lambda array: array,
        lambda array: [array, MPI.INT64_T],
        lambda array: [array, 2],
        lambda array: [array, 2, 2, MPI.INT64_T],
        lambda array: [array, (2, 2)],
    ):
        send, _ = joined(blocks_sent([2] * P, np.int64))
        recv = np.zeros_like(send)
        rondo.alltoallv(COMM, write(send), write(recv))
        require_equal(recv, joined(blocks_due([2] * P, np.int64))[0])


@case
def alltoallv_in_place():
    lengths = lengths_sent()
    recv, _ = joined(blocks_sent(lengths, np.int64))
    rondo.alltoallv(COMM, MPI.IN_PLACE, [recv, lengths])
    require_equal(recv, joined(blocks_due(lengths, np.int64))[0])


@case
def alltoallv_from_the_bottom_of_memory():
    lengths = lengths_sent()
    send, starts = joined(blocks_sent(lengths, np.int64))
    recv = np.zeros_like(send)
    kinds = [
        MPI.INT64_T.Create_hindexed([1], [MPI.Get_address(array)]).Create_resized(0, 8).Commit()
        for array in (send, recv)
    ]
    rondo.alltoallv(
        COMM, [MPI.BOTTOM, lengths, starts, kinds[0]], [None, lengths, starts, kinds[1]]
    )
    require_equal(recv, joined(blocks_due(lengths, np.int64))[0])
    for kind in kinds:
        kind.Free()


@case
def alltoallw():
    """Every even rank pair exchanges doubles, every odd one ints: displacements are in bytes."""
    kinds = [MPI.DOUBLE if (ME + rank) % 2 == 0 else MPI.INT for rank in RANKS]
    dtypes = [np.float64 if kind == MPI.DOUBLE else np.int32 for kind in kinds]
    lengths, starts = [2] * P, (16 * RANKS).tolist()

    def image(source_first):
        memory = np.zeros(16 * P, np.uint8)
        for rank, dtype, start in zip(RANKS, dtypes, starts):
            ends = (ME, rank) if source_first else (rank, ME)
            memory[start : start + 2 * np.dtype(dtype).itemsize] = block(*ends, 2, dtype).view("u1")
        return memory

    for write in (
        lambda array: [array, lengths, starts, kinds],
        lambda array: (array, (lengths, starts), kinds),
    ):
        recv = np.zeros(16 * P, np.uint8)
        rondo.alltoallw(COMM, write(image(True)), write(recv))
        require_equal(recv, image(False))


@case
def alltoallw_of_one_element_each():
    """Without counts and displacements each block is one element at the beginning of the buffer."""
    places = [MPI.INT.Create_hindexed([1], [4 * rank]).Commit() for rank in RANKS]
    send, _ = joined(blocks_sent([1] * P, np.int32))
    recv = np.zeros_like(send)
    rondo.alltoallw(COMM, [send, places], [recv, places])
    require_equal(recv, joined(blocks_due([1] * P, np.int32))[0])
    for place in places:
        place.Free()


@case
def every_algorithm_that_is_named():
    send, _ = joined(blocks_sent([3] * P, np.int32))
    for row in rondo.registry.algorithms():
        rondo.set_algorithm(COMM, row.collective, row.name)
        recv = np.zeros_like(send)
        getattr(rondo, row.collective)(COMM, send, recv)
        require_equal(recv, joined(blocks_due([3] * P, np.int32))[0])
    for collective in ("alltoall", "alltoallv"):
        rondo.set_algorithm(COMM, collective)


@case
def plans():
    lengths = lengths_sent()
    send, starts = joined(blocks_sent(lengths, np.float64))
    recv, other = np.zeros_like(send), np.zeros_like(send)
    due, _ = joined(blocks_due(lengths, np.float64))
    info = MPI.Info.Create()
    info.Set("rondo_alltoallv", "two_phase_bruck")
    spec = [send, lengths, starts, MPI.DOUBLE], [recv, lengths, starts, MPI.DOUBLE]
    with rondo.plan("alltoallv", COMM, *spec, info) as plan:
        for _ in range(3):
            recv[:] = -1
            plan.execute()
            require_equal(recv, due)
        plan.execute(2 * send, OnlyDlpack(other))
        require_equal(other, 2 * due)
    info.Free()


@case
def plans_of_the_other_two():
    send, _ = joined(blocks_sent([3] * P, np.int32))
    due, _ = joined(blocks_due([3] * P, np.int32))
    in_place = send.copy()
    with rondo.plan("alltoall", COMM, MPI.IN_PLACE, in_place) as plan:
        plan.execute()
        require_equal(in_place, due)
        other = send.copy()
        plan.execute(recv=other)
        require_equal(other, due)
    recv = np.zeros_like(send)
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
    rondo.prepare(COMM)
    send, recv = np.zeros(P), np.zeros(P)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    COMM.Barrier()
    if ME == 0:
        time.sleep(0.4)
        rondo.alltoall(COMM, send, recv)
        return
    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.monotonic()
    rondo.alltoall(COMM, send, recv)
    end = time.monotonic()
    done.set()
    ticker.join()
    inside = [tick for tick in ticks if begin < tick < end]
    assert len(inside) >= 3, f"{len(inside)} ticks in {end - begin:.3f} s"


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
    send, _ = joined(blocks_sent([3] * P, np.int32))
    recv = np.zeros_like(send)
    rondo.alltoall(COMM, send, recv)
    require_equal(recv, joined(blocks_due([3] * P, np.int32))[0])


@case
def errors_of_specifications():
    good = np.zeros(2 * P)
    read_only = np.zeros(2 * P)
    read_only.flags.writeable = False
    odd = np.zeros(2 * P + 1, np.uint8)
    nothing = MPI.DOUBLE.Create_contiguous(0).Commit()
    for kind, sentence, wrong in [
        (TypeError, "bytes-like object is required", 5),
        (TypeError, "bytes-like object is required", [None, 1]),
        (ValueError, "expecting 2 to 4 items", [good]),
        (ValueError, "expecting 2 to 4 items", [good, 1, 2, 3, 4]),
        (ValueError, f"expecting {P} integers", [good, [1] * (P + 1)]),
        (ValueError, f"expecting {P} integers", [good, [0.5] * P]),
        (ValueError, "cannot map", [good, "pigeon"]),
        (ValueError, "cannot infer count", [good, nothing]),
        (MPI.Exception, "MPI_ERR_TYPE", [good, MPI.DATATYPE_NULL]),
        (BufferError, "contiguous", np.zeros(4 * P)[::2]),
    ]:
        require_raised(kind, sentence, rondo.alltoallv, COMM, wrong, good)
    if P > 1:
        require_raised(ValueError, f"{P} equal blocks", rondo.alltoall, COMM, odd, odd.copy())
    require_raised(BufferError, "not writable", rondo.alltoall, COMM, good, read_only)
    require_raised(TypeError, "types", rondo.alltoallw, COMM, good, good)
    require_raised(ValueError, f"{P} datatypes", rondo.alltoallw, COMM, [good, []], [good, []])
    require_raised(ValueError, "'gather'", rondo.plan, "gather", COMM, good, good)
    rondo.alltoall(COMM, read_only, good)
    nothing.Free()


def main():
    for one in CASES:
        try:
            one()
        except Exception:
            print(f"rank {ME} of {P}: {one.__name__}\n{traceback.format_exc()}", flush=True)
            COMM.Abort(1)  # the other ranks may wait for this one
    if ME == 0:
        print(f"{len(CASES)} cases right on {P} ranks")


if __name__ == "__main__":
    main()
