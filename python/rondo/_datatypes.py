"""MPI's datatypes of what buffers hold: named by users, found in buffers, or NumPy's."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rondo._library import MPI, _mpi, handle_of

_NATIVE_ORDER = "<" if sys.byteorder == "little" else ">"


def named_type(datatype: MPI.Datatype | str) -> MPI.Datatype:
    if isinstance(datatype, str):
        return _type_of_code(datatype)
    handle_of(datatype, MPI.Datatype)
    return datatype


@cache
def _type_of_code(code: str) -> MPI.Datatype:
    found = MPI.Datatype.fromcode(code)
    # mpi4py's handle is 0 for types that the library lacks, often float16.
    if found.handle in (0, MPI.DATATYPE_NULL.handle):
        raise ValueError(f"message: this MPI library has no datatype for {code!r}")
    return found


@cache
def _type_of_element(element: np.dtype[Any]) -> MPI.Datatype:
    """MPI's type for an element of NumPy's, which is as long."""
    if not element.isnative or element.hasobject or element.subdtype or element.itemsize == 0:
        raise ValueError(f"message: there is no MPI datatype for elements of {element!r}")
    if element.char == "V":  # it has fields
        from mpi4py.util import dtlib  # not before _library has said that it is missing

        return dtlib.from_numpy_dtype(element).Commit()
    unit = _type_of_code(element.char)  # of a string, one character
    length = element.itemsize // unit.extent
    return unit if length == 1 else unit.Create_contiguous(length).Commit()


def datatype_of(buffer: object, given: MPI.Datatype | str | None) -> MPI.Datatype:
    if given is not None:
        return named_type(given)
    if buffer is None or buffer is MPI.BOTTOM:
        raise TypeError("message: MPI.BOTTOM and None need a datatype, as in [None, 1, datatype]")
    return named_type(_code_of(buffer))


def _code_of(buffer: Any) -> str:
    """The character of the type of a buffer's elements."""
    try:
        code = memoryview(buffer).format
    except TypeError:
        interface = getattr(buffer, "__cuda_array_interface__", None)
        found = np.dtype(interface["typestr"]) if interface else np.from_dlpack(buffer).dtype
        code = found.char if found.isnative else found.str
    # ctypes names the order of bytes, and then the type of C.
    return code.removeprefix(_NATIVE_ORDER)


def element_of(
    sent: MPI.Datatype, dtype: npt.DTypeLike | None
) -> tuple[MPI.Datatype, np.dtype[Any]]:
    """MPI's and NumPy's type of an element: `dtype` or, without one, that of what is sent."""
    if dtype is not None:
        element = np.dtype(dtype)
        return _type_of_element(element), element
    if not sent.is_predefined:
        raise ValueError("message: NumPy has no type for a derived datatype; give a dtype")
    element = np.dtype(sent.tocode())
    if element.itemsize != sent.extent:  # a wide character is a string of no characters
        raise ValueError(f"message: NumPy has no type for {sent.name}; give a dtype")
    return sent, element


# Plain specifications are read in C++.
_mpi.set_mpi4py(MPI.Intracomm, MPI.Datatype, MPI._addressof, _type_of_code)
