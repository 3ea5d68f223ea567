"""librondo_nccl and NCCL, by ctypes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_void_p
from itertools import accumulate
from pathlib import Path

import rondo

_NAME = "librondo_nccl.so.1"
_PACKAGED = Path(rondo.__file__).parent / "lib/rondo" / _NAME
_BYTES = 1  # ncclUint8
_ANY_LENGTH = 2**63 - 1


class NcclError(RuntimeError):
    """A function of librondo_nccl or NCCL has failed; the text is the library's."""


class UniqueId(ctypes.Structure):
    """ncclUniqueId."""

    _fields_ = [("internal", ctypes.c_char * 128)]


def load() -> Library:
    """The library of this package, or else the one that the dynamic linker finds; else an OSError.

    PyTorch has loaded NCCL and CUDA's run-time library by then, and the library uses those.
    """
    return Library(os.fspath(_PACKAGED) if _PACKAGED.exists() else _NAME)


class Library:
    """The functions of librondo_nccl and NCCL. Addresses are those of device memory."""

    def __init__(self, file: str) -> None:
        self._functions = ctypes.CDLL(file)  # and those of NCCL, with which it is linked
        for name, arguments in _ARGUMENTS.items():
            getattr(self._functions, name).argtypes = arguments
        for name in ("Rondo_nccl_error", "ncclGetErrorString"):
            getattr(self._functions, name).restype = c_char_p

    def unique_id(self) -> bytes:
        """An identifier for ranks that meet."""
        made = UniqueId()
        self._require(self._functions.ncclGetUniqueId(byref(made)), "ncclGetUniqueId")
        return bytes(made)

    def open(self, unique_id: bytes, rank: int, size: int) -> int:
        """NCCL's communicator on the current device. Collective."""
        comm = c_void_p()
        name = UniqueId.from_buffer_copy(unique_id)
        result = self._functions.ncclCommInitRank(byref(comm), size, name, rank)
        self._require(result, "ncclCommInitRank")
        assert comm.value is not None
        return comm.value

    def close(self, comm: int) -> None:
        """End a communicator. Collective."""
        self._require(self._functions.ncclCommDestroy(comm), "ncclCommDestroy")

    def plan(self, comm: int, algorithm: str, block_bytes: int = _ANY_LENGTH) -> c_void_p:
        """A plan for blocks of up to so many bytes. Collective."""
        plan = c_void_p()
        self._require_rondo(
            self._functions.Rondo_nccl_plan_create(
                comm, algorithm.encode(), block_bytes, None, byref(plan)
            )
        )
        return plan

    def end_plan(self, plan: c_void_p) -> None:
        """Wait for the device, and end a plan. Collective."""
        self._require_rondo(self._functions.Rondo_nccl_plan_destroy(byref(plan)))

    def check(self, plan: c_void_p) -> None:
        """Raises the error of an exchange that the device has found. Does not wait."""
        self._require_rondo(self._functions.Rondo_nccl_plan_check(plan))

    def set_timeout(self, plan: c_void_p, seconds: float) -> None:
        self._require_rondo(self._functions.Rondo_nccl_plan_set_timeout(plan, seconds))

    def exchange(
        self,
        plan: c_void_p,
        comm: int,
        stream: int,
        send: int,
        sent: Sequence[int],
        receive: int,
        arriving: Sequence[int],
    ) -> None:
        """Exchange blocks of so many bytes, which follow each other."""
        numbers = c_size_t * len(sent)
        self._require_rondo(
            self._functions.Rondo_nccl_alltoallv(
                send, numbers(*sent), numbers(*accumulate(sent[:-1], initial=0)),
                receive, numbers(*arriving), numbers(*accumulate(arriving[:-1], initial=0)),
                _BYTES, comm, stream, plan,
            )
        )  # fmt: skip

    def exchange_dynamic(
        self,
        plan: c_void_p,
        comm: int,
        stream: int,
        row_bytes: int,
        send: int,
        sent_rows: int,
        counts: int,
        receive: int,
        room: int,
        counts_to: int,
        displacements_to: int,
    ) -> None:
        """Exchange blocks of rows whose numbers lie on the device, those that arrive in order."""
        self._require_rondo(
            self._functions.Rondo_nccl_alltoallv_dynamic(
                send, counts, sent_rows, receive, counts_to, displacements_to, room, row_bytes,
                comm, stream, plan,
            )
        )  # fmt: skip

    def _require(self, result: int, function: str) -> None:
        if result != 0:
            said = self._functions.ncclGetErrorString(result).decode(errors="replace")
            raise NcclError(f"{function}: {said}")

    def _require_rondo(self, result: int) -> None:
        if result != 0:
            raise NcclError(self._functions.Rondo_nccl_error().decode(errors="replace"))


_ARGUMENTS = {
    "ncclGetUniqueId": [POINTER(UniqueId)],
    "ncclCommInitRank": [POINTER(c_void_p), c_int, UniqueId, c_int],
    "ncclCommDestroy": [c_void_p],
    "ncclGetErrorString": [c_int],
    "Rondo_nccl_error": [],
    "Rondo_nccl_plan_create": [c_void_p, c_char_p, c_size_t, c_void_p, POINTER(c_void_p)],
    "Rondo_nccl_plan_destroy": [POINTER(c_void_p)],
    "Rondo_nccl_plan_check": [c_void_p],
    "Rondo_nccl_plan_set_timeout": [c_void_p, c_double],
    "Rondo_nccl_alltoallv": [
        c_void_p, POINTER(c_size_t), POINTER(c_size_t),
        c_void_p, POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p, c_void_p, c_void_p,
    ],
    "Rondo_nccl_alltoallv_dynamic": [
        c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_size_t, c_size_t,
        c_void_p, c_void_p, c_void_p,
    ],
}  # fmt: skip
