"""The types of the arguments of exchanges, for programs that mypy checks.

`Send` and `Receive` are what the two sides of an exchange may be; `Uniform`, `Vector` and `Typed`
say of which: alltoall, alltoallv or alltoallw. Buffers are NumPy's arrays and other objects with
the buffer protocol or DLPack. mypy looks at every item of a tuple and at no item of a list, because
the items of a list have one type. Importing this module loads mpi4py.

>>> def exchange(comm: MPI.Comm, send: UniformSend, recv: UniformReceive) -> None:
...     rondo.alltoall(comm, send, recv)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional, Protocol, TypeVar, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

__all__ = [
    "Buffer",
    "Collective",
    "Counts",
    "InPlace",
    "Number",
    "NumberList",
    "Numbers",
    "Planned",
    "SupportsBuffer",
    "SupportsDlpack",
    "SupportsWritableBuffer",
    "TypeSpec",
    "TypedReceive",
    "TypedSend",
    "UniformReceive",
    "UniformSend",
    "VectorReceive",
    "VectorSend",
    "WritableBuffer",
]


class SupportsBuffer(Protocol):
    """An object with the buffer protocol: bytes, memoryview, array.array, ..."""

    def __buffer__(self, flags: int, /) -> memoryview:
        """The memory of the object."""


class SupportsWritableBuffer(SupportsBuffer, Protocol):
    """One that can be written, so not bytes."""

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Change an item."""


class SupportsDlpack(Protocol):
    """An array of another library, in host memory."""

    def __dlpack__(self, *, stream: Any = None) -> Any:
        """The memory of the array."""

    def __dlpack_device__(self) -> tuple[Any, int]:
        """Where that memory is."""


Collective = Literal["alltoall", "alltoallv", "alltoallw", "sparse_alltoallv", "neighbor_alltoallv"]
"""The name by which a collective's algorithm is chosen."""
Planned = Literal[
    "alltoall",
    "alltoallv",
    "alltoallw",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
]
"""The name of an exchange that can be planned."""
InPlace = Optional[MPI.InPlaceType]
"""MPI.IN_PLACE, or None, in place of what is sent."""
Buffer = Union["npt.NDArray[Any]", SupportsBuffer, SupportsDlpack, MPI.buffer]
"""What can be sent from."""
WritableBuffer = Union["npt.NDArray[Any]", SupportsWritableBuffer, SupportsDlpack, MPI.buffer]
"""What can be received in."""
TypeSpec = Union[MPI.Datatype, str]
"""A datatype, or its character, as in 'd'."""
Number = Union[int, "np.integer[Any]"]
"""A count or a displacement."""
Numbers = Union[Sequence[Number], "npt.NDArray[np.integer[Any]]"]
"""Counts or displacements, one for each rank."""


class NumberList(Protocol):
    """A list of numbers, or an array.array: a tuple would be counts and displacements."""

    def __getitem__(self, index: int, /) -> Number:
        """One of them."""

    def __len__(self) -> int:
        """How many there are."""

    def append(self, value: Any, /) -> None:
        """Add one, which a tuple cannot."""


Counts = Union[NumberList, range, "npt.NDArray[np.integer[Any]]"]
"""Counts without displacements, one for each rank."""

_Bottom = Union[MPI.BottomType, None]
_Types = Sequence[TypeSpec]
_B = TypeVar("_B")

_Uniform = Union[
    tuple[_B, Number],
    tuple[_B, TypeSpec],
    tuple[_B, Number, TypeSpec],
    tuple[_B, tuple[Number, Number]],
    tuple[_B, tuple[Number, Number], TypeSpec],
    tuple[_B, Number, Number, TypeSpec],
    tuple[_Bottom, Number, TypeSpec],
    tuple[_Bottom, tuple[Number, Number], TypeSpec],
    tuple[_Bottom, Number, Number, TypeSpec],
]
_Layout = Union[Counts, Number]
_Pair = tuple[Union[Numbers, Number], Union[Numbers, Number, None]]
_Vector = Union[
    tuple[_B, _Layout],
    tuple[_B, TypeSpec],
    tuple[_B, _Pair],
    tuple[_B, Union[_Layout, _Pair], TypeSpec],
    tuple[_B, Union[Numbers, Number], Union[Numbers, Number, None], TypeSpec],
    tuple[_Bottom, Union[_Layout, _Pair], TypeSpec],
    tuple[_Bottom, Union[Numbers, Number], Union[Numbers, Number, None], TypeSpec],
]
_Typed = Union[
    tuple[_B, _Types],
    tuple[_B, tuple[Numbers, Numbers], _Types],
    tuple[_B, Numbers, Numbers, _Types],
    tuple[_Bottom, _Types],
    tuple[_Bottom, tuple[Numbers, Numbers], _Types],
    tuple[_Bottom, Numbers, Numbers, _Types],
]

UniformSend = Union[Buffer, _Uniform[Buffer], list[object]]
"""What alltoall sends."""
UniformReceive = Union[WritableBuffer, _Uniform[WritableBuffer], list[object]]
"""What alltoall receives in."""
VectorSend = Union[Buffer, _Vector[Buffer], list[object]]
"""What alltoallv, alltoallv_dynamic and sparse_alltoallv send."""
VectorReceive = Union[WritableBuffer, _Vector[WritableBuffer], list[object]]
"""What alltoallv receives in."""
TypedSend = Union[_Typed[Buffer], list[object]]
"""What alltoallw sends."""
TypedReceive = Union[_Typed[WritableBuffer], list[object]]
"""What alltoallw receives in."""
