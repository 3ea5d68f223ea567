"""All ways in which mpi4py lets users write the two sides of an exchange."""

import numpy as np
from mpi4py import MPI
from mpi_support import (
    COMM,
    ME,
    RANKS,
    OnlyDlpack,
    P,
    block,
    buffers,
    case,
    lengths_sent,
    require_equal,
)

import rondo

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
            send, recv, due, _ = buffers([3] * P, dtype)
            rondo.alltoall(COMM, write(send, kind), write(recv, kind))
            require_equal(recv, due)


@case
def alltoall_with_a_derived_type():
    pair = MPI.INT.Create_contiguous(2).Commit()
    send, recv, due, _ = buffers([4] * P, np.int32)
    rondo.alltoall(COMM, [send, pair], [recv, 2, pair])
    require_equal(recv, due)
    pair.Free()


@case
def alltoall_in_place():
    for here in (MPI.IN_PLACE, None):
        both, _, due, _ = buffers([3] * P, np.float64)
        rondo.alltoall(COMM, here, both)
        require_equal(both, due)


@case
def alltoallv():
    """The lengths are the same both ways here, so one of the forms serves both sides."""
    lengths = lengths_sent()
    for gap in (0, 2):
        send, recv, due, starts = buffers(lengths, np.int64, gap)
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
            recv[:] = 0
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
        send, recv, due, _ = buffers([2] * P, np.int64)
        rondo.alltoallv(COMM, write(send), write(recv))
        require_equal(recv, due)


@case
def alltoallv_in_place():
    lengths = lengths_sent()
    both, _, due, _ = buffers(lengths, np.int64)
    rondo.alltoallv(COMM, MPI.IN_PLACE, [both, lengths])
    require_equal(both, due)


@case
def alltoallv_from_the_bottom_of_memory():
    lengths = lengths_sent()
    send, recv, due, starts = buffers(lengths, np.int64)
    far = [MPI.INT64_T.Create_hindexed([1], [MPI.Get_address(array)]) for array in (send, recv)]
    kinds = [kind.Create_resized(0, 8).Commit() for kind in far]
    rondo.alltoallv(
        COMM, [MPI.BOTTOM, lengths, starts, kinds[0]], [None, lengths, starts, kinds[1]]
    )
    require_equal(recv, due)
    for kind in far + kinds:
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
    send, recv, due, _ = buffers([1] * P, np.int32)
    rondo.alltoallw(COMM, [send, places], [recv, places])
    require_equal(recv, due)
    for place in places:
        place.Free()
