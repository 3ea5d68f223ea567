"""Arguments that mpi4py's types allow and memory does not, and other wrong kinds of arguments.

All ranks make the same mistake, so that none waits for another.
"""

import numpy as np
from mpi4py import MPI
from mpi_support import (
    COMM,
    RANKS,
    P,
    buffers,
    case,
    require_equal,
    require_raised,
)

import rondo

LONG = 2**62
ONES, TWOS = [1] * P, [2] * P
FAR = [*range(P - 1), P]  # the last block begins behind an array of P elements


def array(elements, dtype=np.float64):
    return np.zeros(elements, dtype)


def layouts_outside():
    """Collective, a specification whose blocks leave an array of P doubles, what is said of it."""
    last, doubles = P - 1, [MPI.DOUBLE] * P
    bytes_of = [8 * rank for rank in range(P)]
    backwards = MPI.DOUBLE.Create_resized(0, -8).Commit()
    wide = MPI.DOUBLE.Create_vector(2, 1, P).Commit()
    late = MPI.DOUBLE.Create_hindexed([1], [8 * P]).Commit()
    rows = [
        ("alltoall", [2], f"{P} blocks of 2 elements"),
        ("alltoall", [LONG], f"{P} blocks of {LONG}"),
        ("alltoall", [(1, 1)], "at displacement 1"),
        ("alltoall", [(1, -1)], "bytes -8 to"),
        ("alltoall", [1, late], f"are bytes {8 * P} to"),
        ("alltoallv", [TWOS], "the block of rank"),
        ("alltoallv", [[*ONES[1:], P + 1]], f"the block of rank {last} (count {P + 1}"),
        ("alltoallv", [[*ONES[1:], LONG]], f"(count {LONG}"),
        ("alltoallv", [[LONG] * P], f"of rank 0 (count {LONG} at displacement 0)"),
        ("alltoallv", [(ONES, FAR)], f"bytes {8 * P} to {8 * P + 8}"),
        ("alltoallv", [(ONES, [*range(P - 1), LONG])], "more than 2^62"),
        ("alltoallv", [(ONES, [-1, *range(1, P)])], "of rank 0 (count 1 at displacement -1)"),
        ("alltoallv", [(ONES, [-LONG, *range(1, P)])], "less than -2^62"),
        ("alltoallv", [(TWOS, 1)], f"bytes {8 * last} to {8 * P + 8}"),
        ("alltoallv", [ONES, range(P), wide], "of rank"),
        ("alltoallv", [TWOS, [0] * P, backwards], "bytes -8 to 8"),
        ("alltoallw", [ONES, [*bytes_of[:-1], 8 * P - 7], doubles], f"of rank {last}"),
        ("alltoallw", [ONES, [-1, *bytes_of[1:]], doubles], "bytes -1 to 7"),
        ("alltoallw", [[*ONES[1:], 2], bytes_of, doubles], f"(count 2 at displacement {8 * last})"),
        ("alltoallw", [ONES, bytes_of, [*doubles[1:], late]], "the block of rank"),
        ("alltoallw", [[late] * P], "of rank 0 (count 1 at displacement 0)"),
    ]
    return rows, (backwards, wide, late)


def inside(collective):
    """A specification that fits."""
    types = {"alltoallw": [ONES, [8 * rank for rank in range(P)], [MPI.DOUBLE] * P]}
    return [array(P), *types.get(collective, [MPI.DOUBLE])]


@case
def blocks_outside_of_a_buffer():
    """On either side, in place, and planned."""
    rows, types = layouts_outside()
    for collective, layout, sentence in rows:
        call = getattr(rondo, collective)
        wrong, right = [array(P), *layout], inside(collective)
        for arguments, name in [
            ((wrong, right), "send"),
            ((right, wrong), "receive"),
            ((MPI.IN_PLACE, wrong), "receive"),
        ]:
            said = f"the {name} buffer has {8 * P} bytes, but "
            for whole in (said, sentence):
                require_raised(ValueError, whole, call, COMM, *arguments)
            require_raised(ValueError, said, rondo.plan, collective, COMM, *arguments)
    for datatype in types:
        datatype.Free()


@case
def other_buffers_of_a_plan():
    """They hold the blocks in the same places, or are refused; the plan stays good."""
    sent, _, due, _ = buffers([3] * P, np.int64)
    shifted = np.concatenate([array(2, np.int64), sent])
    target = array(3 * P + 2, np.int64)
    with rondo.plan("alltoall", COMM, [shifted, (3, 2)], [target, (3, 2)]) as plan:
        for send, recv, name in [(sent, None, "send"), (None, sent.copy(), "receive")]:
            said = f"the {name} buffer has {24 * P} bytes"
            require_raised(ValueError, said, plan.execute, send, recv)
        require_raised(TypeError, "expecting an array", plan.execute, 3)
        require_raised(TypeError, "MPI.IN_PLACE", plan.execute, MPI.IN_PLACE)
        require_raised(ValueError, "MPI.BOTTOM", plan.execute, MPI.BOTTOM)
        other = np.zeros_like(target)
        plan.execute(2 * shifted, other)
        require_equal(other[2:], 2 * due)
        plan.execute()
        require_equal(target[2:], due)
    with rondo.plan("alltoall", COMM, MPI.IN_PLACE, sent.copy()) as plan:
        require_raised(ValueError, "made in place", plan.execute, sent)
        plan.execute(MPI.IN_PLACE)
        other = sent.copy()
        plan.execute(recv=other)
        require_equal(other, due)


@case
def blocks_of_nothing_may_be_anywhere():
    """As MPI has it: where no element is exchanged, nothing is read."""
    nothing = MPI.DOUBLE.Create_contiguous(0).Commit()
    for spec in (
        [array(0), [0] * P, MPI.DOUBLE],
        [array(1), ([0] * P, [2**30] * P), MPI.DOUBLE],
        [array(1), [3] * P, range(P), nothing],
        [None, [0] * P, MPI.DOUBLE],
    ):
        rondo.alltoallv(COMM, spec, spec)
    rondo.alltoall(COMM, array(0), array(0))
    rondo.alltoall(COMM, [None, 0, MPI.INT], [MPI.BOTTOM, 0, MPI.INT])
    nothing.Free()


@case
def blocks_that_are_sent_twice():
    """Sent blocks may overlap."""
    send, recv = np.array([7 + COMM.rank]), array(P, np.int64)
    rondo.alltoallv(COMM, [send, (ONES, [0] * P)], recv)
    require_equal(recv, 7 + RANKS)


@case
def every_shape_of_memory():
    """Rows, columns as Fortran has them, read-only memory to send from, integers of any width."""
    square, _, due, _ = buffers([P] * P, np.float32)
    square = square.reshape(P, P)
    fixed = square.copy()
    fixed.flags.writeable = False
    for send in (square, fixed, memoryview(fixed), bytes(square), bytearray(square)):
        recv = np.zeros_like(square)
        incoming = recv.view(np.uint8) if isinstance(send, (bytes, bytearray)) else recv
        rondo.alltoall(COMM, send, incoming)
        require_equal(recv.reshape(-1), due)
        columns = np.zeros_like(square, order="F")
        rondo.alltoallv(COMM, [send, MPI.BYTE], [columns, MPI.BYTE])
        require_equal(columns.reshape(-1, order="F"), due)
    for kind in (np.int8, np.uint16, np.int32, np.uint64):
        recv = np.zeros_like(square)
        counts, places = np.full(P, P, kind), (P * RANKS).astype(kind)
        rondo.alltoallv(COMM, [square, counts, places, "f"], [recv, counts, places, "f"])
        require_equal(recv.reshape(-1), due)


@case
def integers_that_are_none():
    good = array(P)
    for wrong in (
        [1.0] * P,
        ["1"] * P,
        [None] * P,
        [2**63] * P,
        [2**64] * P,
        np.full(P, 2**63, np.uint64),
        [ONES] * 2,
        [*ONES, 1],
        ONES[1:],
        np.ones((P, 1), np.int64),
        {1},
    ):
        require_raised(ValueError, "expecting", rondo.alltoallv, COMM, [good, wrong], good)
        require_raised(ValueError, "expecting", rondo.alltoallv, COMM, good, [good, (ONES, wrong)])
        types = [MPI.DOUBLE] * P
        require_raised(
            ValueError, "expecting", rondo.alltoallw, COMM,
            [good, ONES, wrong, types], [good, ONES, [0] * P, types],
        )  # fmt: skip
    for wrong in (2**63, -(2**63) - 1):
        require_raised(ValueError, "expecting", rondo.alltoall, COMM, [good, wrong, "d"], good)
    require_raised(ValueError, "(counts, displs)", rondo.alltoall, COMM, [good, [1], "d"], good)
    for wrong in ("1", 1.5, (1, 2.0), {}):
        require_raised(TypeError, "integer", rondo.alltoall, COMM, [good, wrong, "d"], good)


@case
def negative_counts():
    """They are MPI's to refuse, by its own class of error."""
    good = array(P)
    for call, wrong in (
        (rondo.alltoall, [good, -1]),
        (rondo.alltoallv, [good, [-1] * P]),
        (rondo.alltoallw, [good, [-1] * P, [0] * P, [MPI.DOUBLE] * P]),
    ):
        try:
            call(COMM, wrong, wrong)
        except rondo.Error as error:
            assert error.Get_error_class() in (MPI.ERR_COUNT, MPI.ERR_ARG), error
        else:
            raise AssertionError("negative counts were taken")


KINDS_OF_MEMORY = [
    (TypeError, "expecting an array", 5),
    (TypeError, "expecting an array", "text"),
    (TypeError, "expecting an array", [None, 1][1:] * 3),
    (TypeError, "expecting an array", object()),
    (TypeError, "MPI.IN_PLACE", [MPI.IN_PLACE, 1]),
    (TypeError, "Python objects", np.zeros(P, object)),
    (TypeError, "Python objects", [np.zeros(P, object), MPI.BYTE]),
    (TypeError, "need a datatype", MPI.BOTTOM),
    (TypeError, "need a datatype", [MPI.BOTTOM, 1]),
    (TypeError, "need a datatype", [None, 1]),
    (ValueError, "MPI.BOTTOM", [MPI.BOTTOM, ONES, MPI.INT]),
    (ValueError, "MPI.BOTTOM", [None, ONES, MPI.INT]),
    (ValueError, "expecting 2 to 4 items", [np.zeros(P)]),
    (ValueError, "expecting 2 to 4 items", [np.zeros(P), 1, 2, 3, 4]),
    (ValueError, f"expecting {P} integers", [np.zeros(P), [*ONES, 1]]),
    (ValueError, f"expecting {P} integers", [np.zeros(P), [0.5] * P]),
    (ValueError, "cannot map", [np.zeros(P), "pigeon"]),
    (ValueError, "cannot map", np.zeros(P, "i4,f8")),
    (ValueError, "cannot map", np.zeros(P, np.dtype(float).newbyteorder())),
    (ValueError, "dtype 'M'", np.zeros(P, "M8[s]")),
    (BufferError, "contiguous", np.zeros((P + 1, 4))[:, 1]),
    (BufferError, "contiguous", [np.zeros(2 * P + 2)[::2], ONES, MPI.DOUBLE]),
    (TypeError, "MPI.Datatype, got int", [np.zeros(P), ONES, 5]),
    (TypeError, "MPI.Datatype, got type", [np.zeros(P), ONES, float]),
    (TypeError, "MPI.Datatype, got Op", [np.zeros(P), ONES, MPI.SUM]),
    (ValueError, "expecting (counts, displs)", [np.zeros(P), (1, 2, 3), MPI.DOUBLE]),
    (ValueError, "expecting (counts, displs)", [np.zeros(P), (1,), MPI.DOUBLE]),
]
# Open MPI 5 has a type for float16; most libraries have none.
if MPI.Datatype.fromcode("e").handle in (0, MPI.DATATYPE_NULL.handle):
    KINDS_OF_MEMORY.append((ValueError, "no datatype for 'e'", np.zeros(P, np.float16)))


@case
def wrong_kinds_of_memory():
    for kind, sentence, wrong in KINDS_OF_MEMORY:
        good = array(P)
        require_raised(kind, sentence, rondo.alltoallv, COMM, wrong, good)
        require_raised(kind, sentence, rondo.alltoallv, COMM, good, wrong)
        require_raised(kind, sentence, rondo.plan, "alltoallv", COMM, good, wrong)
    for here in (None, MPI.IN_PLACE):
        require_raised(TypeError, "", rondo.alltoall, COMM, array(P), here)
    fixed = array(P)
    fixed.flags.writeable = False
    require_raised(BufferError, "not writable", rondo.alltoall, COMM, array(P), fixed)
    for wrong in (fixed, bytes(8 * P)):
        require_raised(BufferError, "writ", rondo.alltoall, COMM, array(P), wrong)
        require_raised(BufferError, "writ", rondo.alltoall, COMM, MPI.IN_PLACE, wrong)


@case
def counts_that_cannot_be_inferred():
    nothing = MPI.DOUBLE.Create_contiguous(0).Commit()
    good, odd = array(P), array(P + 1, np.uint8)
    wrong = [good, nothing]
    require_raised(ValueError, "cannot infer count", rondo.alltoallv, COMM, wrong, good)
    if P > 1:
        require_raised(ValueError, f"{P} equal blocks", rondo.alltoall, COMM, odd, odd.copy())
    nothing.Free()


@case
def wrong_kinds_of_types():
    good = array(P)
    right = [good, ONES, [0] * P, [MPI.DOUBLE] * P]
    for kind, sentence, wrong in [
        (TypeError, f"list of {P} datatypes, got Datatype", [good, ONES, [0] * P, MPI.DOUBLE]),
        (TypeError, f"list of {P} datatypes, got NoneType", [good, ONES, [0] * P, None]),
        (TypeError, "MPI.Datatype, got int", [good, ONES, [0] * P, [3] * P]),
        (ValueError, "expecting", [good, ONES, [MPI.DOUBLE] * P]),
        (ValueError, f"{P} datatypes, got {P + 1}", [good, [MPI.DOUBLE] * (P + 1)]),
        (ValueError, f"{P} datatypes", [good, []]),
        (TypeError, "expecting [buffer, types]", good),
        (TypeError, "expecting [buffer, types]", [good]),
    ]:
        require_raised(kind, sentence, rondo.alltoallw, COMM, wrong, right)
        require_raised(kind, sentence, rondo.alltoallw, COMM, right, wrong)


@case
def wrong_kinds_of_everything_else():
    good = array(P)
    for wrong in (3, None, "COMM_WORLD", MPI.INFO_NULL, MPI.COMM_WORLD.Get_group()):
        said = f"expecting mpi4py.MPI.Comm, got {type(wrong).__name__}"
        for name in ("alltoall", "alltoallv", "alltoallw"):
            require_raised(TypeError, said, getattr(rondo, name), wrong, good, good)
            require_raised(TypeError, said, rondo.plan, name, wrong, good, good)
        require_raised(TypeError, said, rondo.prepare, wrong)
        require_raised(TypeError, said, rondo.set_algorithm, wrong, "alltoall")
    require_raised(MPI.Exception, "COMM", rondo.alltoall, MPI.COMM_NULL, good, good)
    require_raised(TypeError, "MPI.Info, got dict", rondo.prepare, COMM, {})
    require_raised(TypeError, "MPI.Info, got dict", rondo.plan, "alltoall", COMM, good, good, {})
    require_raised(TypeError, "name of", rondo.set_algorithm, COMM, 3)
    require_raised(TypeError, "name of", rondo.set_algorithm, COMM, "alltoall", None)
    for wrong in ([], None, "Alltoall", "gather"):
        require_raised(
            ValueError, f"{wrong!r}, must be one of", rondo.plan, wrong, COMM, good, good
        )


@case
def plans_that_were_freed():
    good = array(P)
    plan = rondo.plan("alltoall", COMM, good, good.copy())
    plan.free()
    plan.free()
    require_raised(rondo.Error, "", plan.execute)
    require_raised(rondo.Error, "", lambda: plan.algorithm)
