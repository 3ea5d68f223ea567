"""Parses mpi4py's buffer specifications into the addresses and numbers that an exchange takes.

mpi4py's own parser is private. This one uses mpi4py's public parts: MPI.buffer for the memory of
objects with the buffer protocol, DLPack or the CUDA array interface. _datatypes.py finds the type
of their elements. The defaults are mpi4py's: blocks fill the buffer and follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from operator import index
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from rondo._datatypes import datatype_of, element_of, named_type
from rondo._library import MPI, _mpi, handle_of
from rondo.errors import Error


class Memory(NamedTuple):
    """The memory of one buffer of a specification."""

    address: int
    nbytes: int | None  # None for MPI.BOTTOM
    alive: object


class Spec(NamedTuple):
    """One side of an exchange, with the objects that must live as long as the exchange uses it."""

    side: _mpi.Side
    address: int
    memory: object
    types: Sequence[MPI.Datatype]

    def moved_to(self, buffer: object, writable: bool) -> Spec:
        """The same blocks in another buffer, which must be large enough."""
        memory = memory_of(buffer, writable)
        address = self.side.place(memory.address, memory.nbytes)
        return self._replace(address=address, memory=memory.alive)


# When an exchange happens, as the names of its functions in rondo._mpi begin.
CALL, START, PLAN = "", "i", "plan_"


def run(
    when: str, name: str, comm: MPI.Comm, send: object, recv: object, *more: int
) -> tuple[Any, Spec, Spec]:
    """Call, start or plan an exchange. Returns what that returns, and both sides."""
    handle = communicator(comm)
    outgoing, incoming = _sides(name, comm, send, recv)
    made = getattr(_mpi, when + name)(handle, outgoing.side, incoming.side, *more)
    return made, outgoing, incoming


def communicator(comm: MPI.Comm) -> int:
    """The address of a communicator's handle."""
    handle = handle_of(comm, MPI.Comm)
    if not comm:
        raise Error(MPI.ERR_COMM, "comm is MPI_COMM_NULL")
    return handle


def _sides(name: str, comm: MPI.Comm, send: object, recv: object) -> tuple[Spec, Spec]:
    """Both sides. An inter-communicator exchanges with the remote group, and never in place."""
    read = KNOWN[name]
    has_edges = name.startswith("neighbor_")
    if has_edges and is_in_place(send):
        raise ValueError("a neighbourhood exchange is not in place: give it a buffer to send from")
    if has_edges:
        outgoing, incoming = 0, 0  # without a topology
        if isinstance(comm, MPI.Topocomm):
            outgoing, incoming = comm.outdegree, comm.indegree
    elif isinstance(comm, MPI.Intercomm):
        outgoing = incoming = comm.Get_remote_size()
    else:
        outgoing = incoming = comm.Get_size()
        if is_in_place(send):
            return in_place(), read(recv, incoming, True)
    return read(send, outgoing, False), read(recv, incoming, True)


class Dynamic(NamedTuple):
    """What an exchange takes whose receivers do not know what comes, and the type of an element."""

    arguments: tuple[Any, ...]
    outgoing: Spec
    kind: MPI.Datatype
    element: np.dtype[Any]

    def run(self, function: Callable[..., Any], *last: int) -> Any:
        """Call, start or plan the exchange by a function of rondo._mpi."""
        return function(*self.arguments, *last)

    def arrays(
        self, data: npt.NDArray[np.uint8], *numbers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], ...]:
        """The elements that have arrived, then what says where their blocks are."""
        return data.view(self.element), *numbers


def dynamic(
    comm: MPI.Comm, send: object, dtype: npt.DTypeLike | None, *destinations: list[int]
) -> Dynamic:
    """The arguments of an exchange of all ranks or, with destinations, of a sparse one."""
    handle = communicator(comm)
    if is_in_place(send):
        raise ValueError("a dynamic exchange is not in place: give it a buffer to send from")
    blocks = len(destinations[0]) if destinations else comm.Get_size()
    outgoing = vector(send, blocks, False)
    kind, element = element_of(outgoing.types[0], dtype)
    arguments = (handle, *destinations, outgoing.side, handle_of(kind, MPI.Datatype))
    return Dynamic(arguments, outgoing, kind, element)


def memory_of(buffer: object, writable: bool) -> Memory:
    """The memory of a buffer. MPI.BOTTOM and None stand for the whole address space."""
    if buffer is None or buffer is MPI.BOTTOM:
        return Memory(0, None, None)
    if buffer is MPI.IN_PLACE:
        raise TypeError("message: MPI.IN_PLACE may only replace the whole send specification")
    if getattr(getattr(buffer, "dtype", None), "hasobject", False):
        raise TypeError("message: an array of Python objects cannot be exchanged")
    try:
        held = MPI.buffer.frombuffer(buffer, readonly=not writable)
    except TypeError as error:
        raise TypeError(
            "message: expecting an array or another buffer, alone or as the first item of a list "
            f"or tuple, got {type(buffer).__name__}"
        ) from error
    return Memory(held.address, held.nbytes, held)


def is_in_place(spec: object) -> bool:
    return spec is None or spec is MPI.IN_PLACE


@cache
def in_place() -> Spec:
    """The sending side with MPI.IN_PLACE. MPI ignores its counts and types."""
    memory = Memory(_mpi.in_place, 0, None)
    nothing = np.zeros(1, np.int64)
    return _spec(memory, False, _mpi.Layout.vector, nothing, nothing, [MPI.DATATYPE_NULL])


def uniform(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoall: `blocks` equal blocks."""
    buffer, count, displacement, datatype = _parts(spec, (list, tuple))
    memory = memory_of(buffer, writable)
    datatype = datatype_of(buffer, datatype)
    start = 0 if displacement is None else index(displacement)
    if count is None:
        elements = max(_elements_in(memory, datatype) - start, 0)
        if blocks > 0 and elements % blocks != 0:
            raise ValueError(
                f"message: cannot infer count, {elements} elements are not {blocks} equal blocks"
            )
        count = elements // max(blocks, 1)
    return _spec(
        memory,
        writable,
        _mpi.Layout.uniform,
        _integers([index(count)], 1),
        _integers([start], 1),
        [datatype],
        blocks,
    )


def ranks_of(destinations: object) -> list[int]:
    """The ranks that an array or sequence names."""
    ranks = np.asarray(destinations)
    if ranks.size == 0:
        return []
    if ranks.dtype.kind not in "iu" or ranks.ndim != 1:
        raise ValueError(f"destinations: expecting ranks, got {destinations!r}")
    if ranks.min() < 0 or ranks.max() > np.iinfo(np.int32).max:
        raise ValueError(f"destinations: expecting ranks, got {destinations!r}")
    return [int(rank) for rank in ranks]


def vector(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoallv: a count and a displacement per block."""
    buffer, counts, displacements, datatype = _parts(spec, tuple)
    memory = memory_of(buffer, writable)
    datatype = datatype_of(buffer, datatype)
    if counts is None:
        counts = _shares(_elements_in(memory, datatype), blocks)
    counts = _integers([counts] * blocks if _is_integer(counts) else counts, blocks)
    if _is_integer(displacements):
        displacements = [rank * index(displacements) for rank in range(blocks)]
    if displacements is not None:
        displacements = _integers(displacements, blocks)
    return _spec(memory, writable, _mpi.Layout.vector, counts, displacements, [datatype])


def typed(spec: object, blocks: int, writable: bool) -> Spec:
    """The specification of one side of an alltoallw: also a datatype per block."""
    return _typed(spec, blocks, writable, _mpi.Layout.typed)


def addressed(spec: object, blocks: int, writable: bool) -> Spec:
    """The same of a neighbor_alltoallw, whose displacements are addresses."""
    return _typed(spec, blocks, writable, _mpi.Layout.addressed)


def _typed(spec: object, blocks: int, writable: bool, layout_of: _mpi.Layout) -> Spec:
    if not isinstance(spec, (list, tuple)) or not 2 <= len(spec) <= 4:
        raise TypeError("message: expecting [buffer, types] or [buffer, counts, displs, types]")
    buffer, *layout, types = spec
    counts, displacements = _pair(layout[0] if len(layout) == 1 else tuple(layout or (None, None)))
    if not isinstance(types, (list, tuple)):
        raise TypeError(
            f"message: expecting a list of {blocks} datatypes, got {type(types).__name__}"
        )
    if len(types) != blocks:
        raise ValueError(f"message: expecting {blocks} datatypes, got {len(types)}")
    if counts is None and displacements is None:
        counts, displacements = np.ones(blocks, np.int64), np.zeros(blocks, np.int64)
    return _spec(
        memory_of(buffer, writable),
        writable,
        layout_of,
        _integers(counts, blocks),
        _integers(displacements, blocks),
        [named_type(datatype) for datatype in types],
    )


def _spec(
    memory: Memory,
    writable: bool,
    layout: _mpi.Layout,
    counts: npt.NDArray[np.int64],
    displacements: npt.NDArray[np.int64] | None,
    types: Sequence[MPI.Datatype],
    blocks: int = 1,
) -> Spec:
    """Make a Spec. Raises ValueError if a block is outside the memory.

    Without displacements, the blocks follow each other.
    """
    handles = [handle_of(datatype, MPI.Datatype) for datatype in types]
    name = "receive" if writable else "send"
    address, nbytes, alive = memory
    side = _mpi.Side(name, layout, blocks, counts, displacements, handles, address, nbytes)
    return Spec(side, side.address, alive, types)


def _parts(spec: object, pairs: Any) -> tuple[Any, Any, Any, Any]:
    """Buffer, counts, displacements and datatype; None for parts that are missing.

    Counts come with displacements in a pair, whose type is one of `pairs`.
    """
    if not isinstance(spec, (list, tuple)):
        return spec, None, None, None
    if len(spec) == 4:
        buffer, counts, displacements, datatype = spec
        return buffer, counts, displacements, datatype
    if len(spec) not in (2, 3):
        raise ValueError(f"message: expecting 2 to 4 items, got {len(spec)}")
    buffer, counts, datatype = spec if len(spec) == 3 else (*spec, None)
    if isinstance(counts, (MPI.Datatype, str)) and datatype is None:
        counts, datatype = None, counts
    counts, displacements = _pair(counts) if isinstance(counts, pairs) else (counts, None)
    return buffer, counts, displacements, datatype


def _pair(layout: object) -> tuple[Any, Any]:
    """Counts and displacements, which come together."""
    if not isinstance(layout, (list, tuple)) or len(layout) != 2:
        raise ValueError(
            f"message: expecting (counts, displs), got {layout!r}; write counts alone as a list"
        )
    counts, displacements = layout
    return counts, displacements


def _elements_in(memory: Memory, datatype: MPI.Datatype) -> int:
    """How many elements fill the buffer."""
    if not memory.nbytes:
        return 0
    extent = datatype.extent
    if extent <= 0:
        raise ValueError(f"message: cannot infer count, datatype extent {extent}")
    if memory.nbytes % extent != 0:
        raise ValueError(
            f"message: cannot infer count, {memory.nbytes} bytes is not a multiple of the "
            f"datatype's extent of {extent} bytes"
        )
    return memory.nbytes // extent


def _shares(elements: int, blocks: int) -> list[int]:
    """Blocks that fill the buffer; where they cannot be equal, the first have one element more."""
    return [elements // blocks + (block < elements % blocks) for block in range(blocks)]


def _is_integer(value: object) -> bool:
    """Whether it is one integer of any type, which may be an array without dimensions."""
    if value is None or isinstance(value, (list, tuple)):
        return False
    try:
        len(value)  # type: ignore[arg-type]
    except TypeError:
        return hasattr(value, "__index__")
    return False


def _integers(values: object, blocks: int) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if blocks == 0 and array.size == 0:
        return np.zeros(0, np.int64)
    if array.dtype.kind in "bO" and array.ndim == 1:  # booleans, and other types of integers
        with suppress(TypeError):
            array = np.array([index(value) for value in array.tolist()])
    if array.dtype.kind not in "iu" or array.shape != (blocks,):
        raise ValueError(f"message: expecting {blocks} integers, got {values!r}")
    if array.dtype.kind == "u" and array.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError(f"message: expecting integers below 2^63, got {values!r}")
    return np.ascontiguousarray(array, np.int64)


KNOWN: dict[str, Callable[[object, int, bool], Spec]] = {
    "alltoall": uniform,
    "alltoallv": vector,
    "alltoallw": typed,
    "neighbor_alltoall": uniform,
    "neighbor_alltoallv": vector,
    "neighbor_alltoallw": addressed,
}
"""The exchanges of known lengths, with what reads the specification of one side."""
