"""Loads the MPI library that Rondo and mpi4py share, or raises a clear ImportError."""

from __future__ import annotations

import ctypes
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn

from rondo import mpi_library

__all__ = ["MPI", "_mpi", "handle_of"]

_WORDS = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel(R) MPI": "mpich", "MVAPICH": "mpich"}
_ABI_WORLD = 0x101  # the standard ABI's MPI_COMM_WORLD

if not mpi_library.families():
    raise ImportError(
        "rondo was built without MPI, so it cannot exchange: install an MPI with its compiler "
        "wrapper mpicxx and rebuild rondo (pip install --force-reinstall --no-cache-dir, with that "
        "MPI's mpicxx first on PATH)"
    )

try:
    from mpi4py import MPI
except ModuleNotFoundError as error:
    raise ImportError("rondo's exchanges need mpi4py: pip install 'mpi4py>=4'") from error


def _family() -> str:
    """Of the MPI library that mpi4py runs with; its handles tell whether by the standard ABI."""
    address = MPI._addressof(MPI.COMM_WORLD)
    is_pointer = MPI._sizeof(MPI.COMM_WORLD) == ctypes.sizeof(ctypes.c_void_p)
    if is_pointer and ctypes.c_void_p.from_address(address).value == _ABI_WORLD:
        return "abi"
    version = MPI.Get_library_version()
    return next((family for word, family in _WORDS.items() if word in version), "unknown")


def _refuse(reason: str) -> NoReturn:
    version = " ".join(MPI.Get_library_version().partition("\n")[0].partition(",")[0].split())
    own = ", ".join(mpi_library.families())
    raise ImportError(
        f"rondo was built for {own}, but mpi4py runs with {version!r}{reason}: build rondo with "
        "that MPI's mpicxx first on PATH, or let mpi4py find another MPI"
    )


def _load(family: str) -> ModuleType:
    """The module for a family; it is linked to no MPI library, so it takes mpi4py's."""
    if family not in mpi_library.families():
        _refuse("")
    mpi_library.make_global(family)
    (path,) = (mpi_library.LIBRARIES / family).glob("_mpi.*so")
    loader = ExtensionFileLoader("rondo._mpi", str(path))
    spec = spec_from_file_location(loader.name, path, loader=loader)
    assert spec is not None
    try:
        module = module_from_spec(spec)
    except ImportError as error:  # an older version, which lacks a function
        _refuse(f", which does not fit ({error})")
    loader.exec_module(module)
    sys.modules[loader.name] = module
    if not module.is_world(MPI._addressof(MPI.COMM_WORLD)):
        _refuse(", whose handles are others")
    return module


if TYPE_CHECKING:
    from rondo import _mpi
else:
    _mpi = _load(_family())


def handle_of(thing: object, kind: type) -> int:
    """The address of an mpi4py object's handle. The type is checked, since handles have none."""
    if not isinstance(thing, kind):
        raise TypeError(f"expecting mpi4py.MPI.{kind.__name__}, got {type(thing).__name__}")
    return MPI._addressof(thing)
