"""Exchanges over mpi4py's communicators.

Arguments and meaning are those of mpi4py's Comm.Alltoall, Alltoallv and Alltoallw: objects with the
buffer protocol or DLPack in host memory, [buffer, datatype], [buffer, counts, displs, datatype] and
its shorter forms, and MPI.IN_PLACE to exchange in the receive buffer. Other Python threads run
during an exchange. Errors are raised as `Error`, which is an mpi4py.MPI.Exception.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from rondo import _specs
from rondo._library import MPI, _mpi, handle_of
from rondo.errors import Error

__all__ = [
    "Error",
    "Plan",
    "Received",
    "alltoall",
    "alltoallv",
    "alltoallv_dynamic",
    "alltoallw",
    "plan",
    "prepare",
    "set_algorithm",
]

_Read = Callable[[object, int, bool], _specs.Spec]
_READERS: dict[str, _Read] = {
    "alltoall": _specs.uniform,
    "alltoallv": _specs.vector,
    "alltoallw": _specs.typed,
}
_PLANNERS = {
    "alltoall": _mpi.plan_alltoall,
    "alltoallv": _mpi.plan_alltoallv,
    "alltoallw": _mpi.plan_alltoallw,
}


def _sides(
    read: _Read, comm: MPI.Comm, send: object, recv: object
) -> tuple[_specs.Spec, _specs.Spec]:
    """Both sides. An inter-communicator exchanges with the remote group, and never in place."""
    handle_of(comm, MPI.Comm)
    if isinstance(comm, MPI.Intercomm):
        blocks = comm.Get_remote_size()
    else:
        blocks = comm.Get_size()
        if _specs.is_in_place(send):
            return _specs.in_place(), read(recv, blocks, True)
    return read(send, blocks, False), read(recv, blocks, True)


def alltoall(comm: MPI.Comm, send: object, recv: object) -> None:
    """Send a block to every rank and receive one from each, all of the same length. Collective."""
    outgoing, incoming = _sides(_specs.uniform, comm, send, recv)
    _mpi.alltoall(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


def alltoallv(comm: MPI.Comm, send: object, recv: object) -> None:
    """Exchange blocks of any lengths. Displacements count elements. Collective."""
    outgoing, incoming = _sides(_specs.vector, comm, send, recv)
    _mpi.alltoallv(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


class Received(NamedTuple):
    """What has arrived: the block from rank q is data[displs[q] : displs[q] + counts[q]]."""

    data: np.ndarray
    counts: np.ndarray
    displs: np.ndarray


def alltoallv_dynamic(comm: MPI.Comm, send: object, dtype: object = None) -> Received:
    """Send blocks of any lengths and learn what arrives. Collective, never in place.

    One call takes the place of an alltoall of counts and an alltoallv. `send` is as in alltoallv.
    `dtype` is NumPy's type of the elements that arrive; without it they are as those that this rank
    sends.
    """
    handle = handle_of(comm, MPI.Comm)
    if _specs.is_in_place(send):
        raise ValueError("a dynamic exchange is not in place: give it a buffer to send from")
    outgoing = _specs.vector(send, comm.Get_size(), False)
    kind, element = _specs.element_of(send, dtype)
    data, counts, displs = _mpi.alltoallv_dynamic(
        handle, outgoing.side, handle_of(kind, MPI.Datatype), element.itemsize
    )
    return Received(data.view(element), np.array(counts, np.int64), np.array(displs, np.int64))


def alltoallw(comm: MPI.Comm, send: object, recv: object) -> None:
    """Exchange blocks with a datatype each. Displacements count bytes. Collective."""
    outgoing, incoming = _sides(_specs.typed, comm, send, recv)
    _mpi.alltoallw(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


class Plan:
    """An exchange to be executed many times, made by `rondo.plan`.

    Freeing is collective, so the garbage collector never does it: call free(), or use the plan in a
    `with` statement.
    """

    def __init__(self, plan: _mpi.Plan, send: _specs.Spec, recv: _specs.Spec) -> None:
        self._plan = plan
        self._send = send
        self._recv = recv

    def execute(self, send: object = None, recv: object = None) -> None:
        """Exchange in the plan's buffers, or in the given ones.

        Collective over the plan's communicator. Given buffers have the blocks at the same places
        as the plan's. A plan made in place takes only `recv`.
        """
        outgoing, incoming = self._send, self._recv
        if outgoing.address == _mpi.in_place:
            if not _specs.is_in_place(send):
                raise ValueError("the plan was made in place, so it takes no send buffer")
        elif send is not None:
            outgoing = outgoing.moved_to(send, False)
        if recv is not None:
            incoming = incoming.moved_to(recv, True)
        self._plan.execute(outgoing.address, incoming.address)

    @property
    def algorithm(self) -> str:
        """The plan's algorithm with all parameters, or the ones that it is still measuring."""
        return self._plan.algorithm()

    def free(self) -> None:
        """Free the plan, once. Collective; before MPI is finalized."""
        self._plan.free()

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *exception: object) -> None:
        self.free()


def plan(
    collective: str,
    comm: MPI.Comm,
    send: object,
    recv: object,
    info: MPI.Info = MPI.INFO_NULL,
) -> Plan:
    """Plan an alltoall, alltoallv or alltoallw, as `collective` says. Collective.

    The plan fixes the algorithm, counts, displacements and datatypes. After its first execution it
    remembers the sizes of the other ranks' blocks. `info` may name an algorithm, as in the C
    interface. With the key "rondo_measure" it makes the plan try a few algorithms in its first
    executions and continue with the fastest.
    """
    if not isinstance(collective, str) or collective not in _READERS:
        raise ValueError(f"collective is {collective!r}, must be one of {', '.join(_READERS)}")
    outgoing, incoming = _sides(_READERS[collective], comm, send, recv)
    make = _PLANNERS[collective]
    made = make(handle_of(comm, MPI.Comm), outgoing.side, incoming.side, handle_of(info, MPI.Info))
    return Plan(made, outgoing, incoming)


def prepare(comm: MPI.Comm, info: MPI.Info = MPI.INFO_NULL) -> None:
    """Set Rondo up on `comm` now, so that no call is forwarded to the MPI library. Collective."""
    _mpi.prepare(handle_of(comm, MPI.Comm), handle_of(info, MPI.Info))


def set_algorithm(comm: MPI.Comm, collective: str, algorithm: str = "auto") -> None:
    """Make `collective` on `comm` run `algorithm`, as in "fused_bruck:radix=4".

    Collective; all ranks must give the same algorithm.
    """
    handle = handle_of(comm, MPI.Comm)
    for text in (collective, algorithm):
        if not isinstance(text, str):
            raise TypeError(f"expecting the name of an algorithm or collective, got {text!r}")
    _mpi.set_algorithm(handle, collective, algorithm)
