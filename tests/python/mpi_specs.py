"""What mpi4py's buffer specifications accept: each is exchanged by mpi4py and by Rondo, alike.

The rows are those of mpi4py's own tests of messages, for all ranks, with the integers and arrays
that Python has besides.
"""

import array
import ctypes

import numpy as np
from mpi4py import MPI
from mpi4py.util import dtlib
from mpi_support import (
    COMM,
    ME,
    OnlyDlpack,
    P,
    case,
    require_equal,
    require_error,
    require_raised,
)

import rondo
from rondo import _specs

ELEMENTS = 4 * P
CODES = "bhilqBHILQfd"
STARTS = [4 * rank for rank in range(P)]


class Index:
    """An integer of another library."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class OnCuda:
    """An array with the CUDA array interface, in host memory as in mpi4py's tests."""

    def __init__(self, memory):
        self.memory = memory
        self.__cuda_array_interface__ = {
            "version": 0,
            "data": (memory.ctypes.data, False),
            "typestr": memory.dtype.str,
            "shape": memory.shape,
        }


def ctypes_array(memory):
    kind = np.ctypeslib.as_ctypes_type(memory.dtype)
    return (kind * len(memory)).from_buffer(memory)


ARRAYS = {
    "numpy": lambda memory: memory,
    "memoryview": memoryview,
    "ctypes": ctypes_array,
    "DLPack": OnlyDlpack,
    "CUDA": OnCuda,
    "MPI.buffer": lambda memory: MPI.buffer.frombuffer(memory),
}
COUNTS = {
    "list": lambda: [2] * P,
    "booleans": lambda: [True] * P,
    "array": lambda: array.array("i", [2] * P),
    "ctypes": lambda: (ctypes.c_int * P)(*[2] * P),
    "numpy": lambda: np.full(P, 2, np.uint8),
    "objects": lambda: np.array([2] * P, object),
    "without dimensions": lambda: [np.array(2)] * P,
    "others": lambda: [Index(2)] * P,
}
UNIFORM = [
    lambda it, kind: it,
    lambda it, kind: [it, None],
    lambda it, kind: [it, 2],
    lambda it, kind: [it, True],
    lambda it, kind: [it, np.array(2)],
    lambda it, kind: [it, Index(2)],
    lambda it, kind: [it, (2, None)],
    lambda it, kind: [it, (2, 1)],
    lambda it, kind: [it, [2, 1]],
    lambda it, kind: [it, (None, P)],
    lambda it, kind: [it, None, None],
    lambda it, kind: [it, 2, None],
    lambda it, kind: [it, (2, 1), None],
    lambda it, kind: [it, 2, 1, None],
    lambda it, kind: [it, None, P, None],
    lambda it, kind: (it, kind.tocode()),
    lambda it, kind: [it, kind],
    lambda it, kind: [it, None, kind],
    lambda it, kind: [it, [None, P], kind],
    lambda it, kind: [it, (2, None), kind.tocode()],
    lambda it, kind: [it, 2, 1, kind],
]
VECTOR = [
    lambda it, kind: it,
    lambda it, kind: [it, None],
    lambda it, kind: [it, 2],
    lambda it, kind: [it, True],
    lambda it, kind: [it, np.array(2)],
    lambda it, kind: [it, Index(2)],
    lambda it, kind: [it, (2, None)],
    lambda it, kind: [it, (2, 3)],
    lambda it, kind: [it, (2, Index(3))],
    lambda it, kind: [it, (2, STARTS)],
    lambda it, kind: [it, (None, STARTS), kind],
    lambda it, kind: [it, None, kind],
    lambda it, kind: [it, (2, STARTS), kind.tocode()],
    lambda it, kind: [it, 2, STARTS, None],
    lambda it, kind: [it, None, None, kind],
    *(lambda it, kind, made=made: [it, made()] for made in COUNTS.values()),
    *(lambda it, kind, made=made: [it, made(), STARTS, kind] for made in COUNTS.values()),
]
BYTES = [4 * start for start in STARTS]  # of ints
TYPED = [
    lambda it, kind: [it, [2] * P, BYTES, [kind] * P],
    lambda it, kind: [it, ([2] * P, BYTES), [kind] * P],
    lambda it, kind: [it, [[2] * P, BYTES], [kind] * P],
    lambda it, kind: [it, ([True] * P, array.array("i", BYTES)), [kind] * P],
]
if P == 1:  # without counts, all blocks are at the beginning
    TYPED += [
        lambda it, kind: [it, [kind]],
        lambda it, kind: [it, None, None, [kind]],
        lambda it, kind: [it, (None, None), (kind,)],
    ]


def require_alike(name, code, wrap, write, call=None):
    """mpi4py receives the same as Rondo from arrays of this kind, written so."""
    call = call or getattr(rondo, name)
    dtype, kind = np.dtype(code), MPI._typedict[code]
    send = (np.arange(ELEMENTS) + 20 * ME).astype(dtype)
    received = [np.zeros_like(send) for _ in range(2)]
    due, found = received
    getattr(COMM, name.capitalize())(write(wrap(send), kind), write(wrap(due), kind))
    call(COMM, write(wrap(send), kind), write(wrap(found), kind))
    require_equal(found, due)


@case
def every_specification_of_every_array():
    forms = {"alltoall": UNIFORM, "alltoallv": VECTOR, "alltoallw": TYPED}
    for name, ways in forms.items():
        for wrap in ARRAYS.values():
            for write in ways:
                require_alike(name, "i", wrap, write)


# What most programs write.
PLAIN = {
    "alltoall": [
        lambda it, kind: it,
        lambda it, kind: [it, 2],
        lambda it, kind: [it, kind],
        lambda it, kind: (it, 2, kind),
    ],
    "alltoallv": [
        lambda it, kind: it,
        lambda it, kind: [it, [2] * P],
        lambda it, kind: [it, np.full(P, 2)],
        lambda it, kind: [it, np.full(P, 2, np.int32)],
        lambda it, kind: (it, ([2] * P, STARTS)),
        lambda it, kind: [it, (tuple([2] * P), np.array(STARTS)), kind],
        lambda it, kind: [it, [2] * P, STARTS, kind],
    ],
}


STARTED = {
    "alltoall": lambda *given: rondo.ialltoall(*given).wait(),
    "alltoallv": lambda *given: rondo.ialltoallv(*given).wait(),
}
DYNAMIC = [rondo.alltoallv_dynamic, lambda *given: rondo.ialltoallv_dynamic(*given).result]


@case
def plain_specifications_are_read_without_python():
    def refuse(*arguments):
        raise AssertionError(f"read by Python: {arguments}")

    by_python = _specs.run, _specs.dynamic
    _specs.run = _specs.dynamic = refuse
    rondo.prepare(COMM)
    try:
        for wrap in (ARRAYS["numpy"], memoryview, ctypes_array):
            for name, ways in PLAIN.items():
                for write in ways:
                    require_alike(name, "i", wrap, write)
                    require_alike(name, "i", wrap, write, STARTED[name])
            for call in DYNAMIC:
                send = np.arange(2 * P, dtype="i") + 20 * ME
                arrived = call(COMM, [wrap(send), [2] * P])
                due = [2 * ME + 20 * rank + place for rank in range(P) for place in range(2)]
                require_equal(arrived.data, np.array(due, "i"))
                assert arrived.counts.tolist() == [2] * P
    finally:
        _specs.run, _specs.dynamic = by_python


@case
def elements_arrive_with_the_type_that_they_are_sent_with():
    for code in CODES:
        send = np.ones(P).astype(code)
        for call in DYNAMIC:
            found = call(COMM, [send, [1] * P]).data
            require_equal(found, send)
            assert found.dtype == send.dtype, (found.dtype, send.dtype)


@case
def every_type_of_element():
    for code in CODES:
        for wrap in ARRAYS.values():
            for name in ("alltoall", "alltoallv"):
                require_alike(name, code, wrap, lambda it, kind: it)


@case
def shares_that_are_not_equal():
    """Of a buffer whose elements cannot be dealt out evenly the first ranks get one more."""
    send = np.arange(2 * P + 1) + 100 * ME
    received = [np.zeros(P * (2 + (ME == 0)), int) for _ in range(2)]
    COMM.Alltoallv(send, [received[0], 2 + (ME == 0)])
    rondo.alltoallv(COMM, send, [received[1], 2 + (ME == 0)])
    require_equal(received[1], received[0])


@case
def nothing_of_no_memory():
    for empty in ([None, "B"], [None, 0, "B"], [MPI.BOTTOM, "B"], [MPI.BOTTOM, 0, MPI.BYTE]):
        rondo.alltoall(COMM, empty, empty)
        rondo.alltoallv(COMM, empty, empty)
    for empty in ([None, 0, [0] * P, "B"], [MPI.BOTTOM, ([0] * P, 0), "B"]):
        rondo.alltoallv(COMM, empty, empty)


@case
def null_communicators():
    """The error is Rondo's, which is mpi4py's with a sentence."""
    good = np.zeros(P)
    collectives = "alltoall alltoallv neighbor_alltoall neighbor_alltoallv".split()
    calls = [
        (getattr(rondo, start + name), good, good) for name in collectives for start in ("", "i")
    ]
    calls += [(rondo.alltoallv_dynamic, good), (rondo.ialltoallv_dynamic, good)]
    calls += [(rondo.sparse_alltoallv, [0], good), (rondo.sparse_plan, [0], good), (rondo.prepare,)]
    for call, *arguments in calls:
        require_error(MPI.ERR_COMM, "comm is MPI_COMM_NULL", call, MPI.COMM_NULL, *arguments)
    require_error(
        MPI.ERR_COMM, "MPI_COMM_NULL", rondo.plan, "alltoall", MPI.COMM_NULL, good, good
    )  # fmt: skip


# Types of elements that are no numbers, and how many of them are sent.
RECORDS = ["i4,f8", np.dtype("i1,f8", align=True), "S4", "U2", "M8[s]"]


@case
def elements_that_are_no_numbers():
    """What arrives has the type that was asked for, whatever MPI calls it."""
    for element in map(np.dtype, RECORDS):
        held = np.arange(P * element.itemsize, dtype=np.uint8).view(element)
        kind = MPI.BYTE.Create_contiguous(element.itemsize).Commit()
        if element.names:
            kind.Free()
            kind = dtlib.from_numpy_dtype(element).Commit()
        memory = held if element.names else held.view(np.uint8)
        send = [memory, [1] * P, kind]
        arrived = [
            rondo.alltoallv_dynamic(COMM, send, element),
            rondo.sparse_alltoallv(COMM, range(P), send, element),
        ]
        with rondo.sparse_plan(COMM, range(P), send, element) as plan:
            plan.execute(memory)
            arrived.append(plan.received)
        for one in arrived:
            assert one.data.dtype == element, one.data.dtype
            assert one.counts.tolist() == [1] * P
            require_equal(one.data, held[[ME] * P])
        kind.Free()


@case
def elements_that_mpi_has_not():
    send = [np.zeros(8 * P, np.uint8), [8] * P]
    for wrong in (">f8", object, "S0", "(2,)i4", "i4,O", "V8"):
        require_raised(ValueError, "MPI datatype", rondo.alltoallv_dynamic, COMM, send, wrong)
    wide = [np.zeros(4 * P, np.uint8), [1] * P, MPI.WCHAR]
    require_raised(ValueError, "give a dtype", rondo.alltoallv_dynamic, COMM, wide)
    require_equal(rondo.alltoallv_dynamic(COMM, wide, "U1").data, [""] * P)
