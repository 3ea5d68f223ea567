"""mpi4py's buffer specifications, as the addresses and numbers that an exchange is called with.

mpi4py keeps its own reading of them to itself; what it offers is used here: MPI.buffer for the
memory of anything that has the buffer protocol or DLPack, Datatype.fromcode for the type of its
elements. Defaults are mpi4py's: blocks fill the buffer in equal parts, and follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from operator import index
from typing import Any, NamedTuple

import numpy as np

from rondo._library import MPI, _mpi, handle_of


class Spec(NamedTuple):
    """One side of an exchange, and what must live as long as the exchange uses it."""

    side: _mpi.Side
    address: int
    alive: tuple[object, ...]


class Memory(NamedTuple):
    """What one buffer of a specification points to."""

    address: int
    nbytes: int
    alive: object


def memory_of(buffer: object, writable: bool) -> Memory:
    """The memory of a buffer; MPI.BOTTOM and None stand for all of it."""
    if buffer is None or buffer is MPI.BOTTOM:
        return Memory(0, 0, None)
    held = MPI.buffer.frombuffer(buffer, readonly=not writable)
    return Memory(held.address, held.nbytes, held)


def is_in_place(spec: object) -> bool:
    return spec is None or spec is MPI.IN_PLACE


def in_place() -> Spec:
    """The sending side with MPI.IN_PLACE. MPI ignores its counts and types."""
    nothing = np.zeros(1, np.int64)
    return _spec(Memory(_mpi.in_place, 0, None), nothing, nothing, [MPI.DATATYPE_NULL])


def uniform(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoall: `blocks` equal blocks."""
    buffer, count, displacement, datatype = _parts(spec)
    memory = memory_of(buffer, writable)
    datatype = _datatype_of(buffer, datatype)
    if count is None:
        count = _equal_share(memory, datatype, blocks)
    if displacement is not None:
        memory = memory._replace(address=memory.address + index(displacement) * datatype.extent)
    return _spec(memory, np.array([index(count)], np.int64), np.empty(0, np.int64), [datatype])


def vector(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoallv: a count and a displacement for each block."""
    buffer, counts, displacements, datatype = _parts(spec)
    memory = memory_of(buffer, writable)
    datatype = _datatype_of(buffer, datatype)
    if counts is None:
        counts = _equal_share(memory, datatype, blocks)
    counts = _integers(np.full(blocks, counts) if isinstance(counts, Integral) else counts, blocks)
    if displacements is None:
        displacements = np.cumsum(counts) - counts
    elif isinstance(displacements, Integral):
        displacements = np.arange(blocks) * displacements
    return _spec(memory, counts, _integers(displacements, blocks), [datatype])


def typed(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoallw: a datatype for each block too."""
    if not isinstance(spec, (list, tuple)) or not 2 <= len(spec) <= 4:
        raise TypeError("message: expecting [buffer, types] or [buffer, counts, displs, types]")
    buffer, *layout, types = spec
    counts, displacements = layout if len(layout) == 2 else layout[0] if layout else (None, None)
    if len(types) != blocks:
        raise ValueError(f"message: expecting {blocks} datatypes, got {len(types)}")
    if counts is None and displacements is None:
        counts, displacements = np.ones(blocks, np.int64), np.zeros(blocks, np.int64)
    return _spec(
        memory_of(buffer, writable),
        _integers(counts, blocks),
        _integers(displacements, blocks),
        [_named_type(datatype) for datatype in types],
    )


def _spec(
    memory: Memory,
    counts: np.ndarray,
    displacements: np.ndarray,
    types: Sequence[MPI.Datatype],
) -> Spec:
    handles = [handle_of(datatype, MPI.Datatype) for datatype in types]
    side = _mpi.Side(memory.address, counts, displacements, handles)
    return Spec(side, memory.address, (memory.alive, *types))


def _parts(spec: object) -> tuple[Any, Any, Any, Any]:
    """Buffer, counts, displacements and datatype; None for what is not there."""
    if not isinstance(spec, (list, tuple)):
        return spec, None, None, None
    if len(spec) == 4:
        return tuple(spec)
    if len(spec) not in (2, 3):
        raise ValueError(f"message: expecting 2 to 4 items, got {len(spec)}")
    buffer, counts, datatype = spec if len(spec) == 3 else (*spec, None)
    if isinstance(counts, (MPI.Datatype, str)) and datatype is None:
        counts, datatype = None, counts
    counts, displacements = counts if isinstance(counts, tuple) else (counts, None)
    return buffer, counts, displacements, datatype


def _named_type(datatype: MPI.Datatype | str) -> MPI.Datatype:
    return MPI.Datatype.fromcode(datatype) if isinstance(datatype, str) else datatype


def _datatype_of(buffer: object, given: MPI.Datatype | str | None) -> MPI.Datatype:
    if given is not None:
        return _named_type(given)
    try:
        code = memoryview(buffer).format  # type: ignore[arg-type]
    except TypeError:
        if not hasattr(buffer, "__dlpack__"):
            raise
        code = np.from_dlpack(buffer).dtype.char
    return MPI.Datatype.fromcode(code)


def _equal_share(memory: Memory, datatype: MPI.Datatype, blocks: int) -> int:
    """How many elements a block has if `blocks` of them fill the buffer."""
    extent = datatype.extent
    if memory.nbytes == 0:
        return 0
    if extent <= 0:
        raise ValueError(f"message: cannot infer count, datatype extent {extent}")
    if memory.nbytes % (extent * blocks) != 0:
        raise ValueError(
            f"message: cannot infer count, {memory.nbytes} bytes are not {blocks} equal blocks of "
            f"elements of {extent} bytes"
        )
    return memory.nbytes // (extent * blocks)


def _integers(values: object, blocks: int) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape != (blocks,):
        raise ValueError(f"message: expecting {blocks} integers, got {values!r}")
    return np.ascontiguousarray(array, np.int64)
