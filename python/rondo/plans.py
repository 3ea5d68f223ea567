"""Plans: exchanges whose arguments are kept, to be executed many times."""

from __future__ import annotations

from typing import Literal, overload

from rondo import _specs, requests
from rondo._library import MPI, _mpi, handle_of
from rondo.typing import (
    Buffer,
    InPlace,
    Planned,
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
    WritableBuffer,
)

__all__ = ["Plan", "plan"]

_READERS: dict[str, _specs.Read] = {
    "alltoall": _specs.uniform,
    "alltoallv": _specs.vector,
    "alltoallw": _specs.typed,
    "neighbor_alltoall": _specs.uniform,
    "neighbor_alltoallv": _specs.vector,
    "neighbor_alltoallw": _specs.addressed,
}
_PLANNERS = {
    "alltoall": _mpi.plan_alltoall,
    "alltoallv": _mpi.plan_alltoallv,
    "alltoallw": _mpi.plan_alltoallw,
    "neighbor_alltoall": _mpi.plan_neighbor_alltoall,
    "neighbor_alltoallv": _mpi.plan_neighbor_alltoallv,
    "neighbor_alltoallw": _mpi.plan_neighbor_alltoallw,
}


class Plan:
    """An exchange to be executed many times, made by `rondo.plan`.

    Freeing is collective, so the garbage collector never does it: call free(), or use the plan in a
    `with` statement.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> send = np.ones(MPI.COMM_WORLD.size)
    >>> recv = np.zeros_like(send)
    >>> with rondo.plan("alltoall", MPI.COMM_WORLD, send, recv) as plan:
    ...     for step in range(3):
    ...         plan.execute()
    >>> repr(plan).endswith(", freed)")
    True
    """

    def __init__(
        self, plan: _mpi.Plan, send: _specs.Spec, recv: _specs.Spec, what: tuple[str, int]
    ) -> None:
        self._plan = plan
        self._send = send
        self._recv = recv
        self._collective, self._ranks = what
        self._is_freed = False

    def execute(self, send: Buffer | InPlace = None, recv: WritableBuffer | None = None) -> None:
        """Exchange in the plan's buffers, or in the given ones.

        Collective over the plan's communicator.

        Parameters
        ----------
        send
            A buffer that has the blocks at the same places as the plan's. A plan made in place
            takes none.
        recv
            A buffer that has the blocks at the same places as the plan's.

        Raises
        ------
        TypeError
            If a buffer is of a wrong type.
        ValueError
            If a buffer is too small.
        Error
            If the exchange fails.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> from mpi4py import MPI
        >>> comm = MPI.COMM_WORLD
        >>> send, recv = np.ones(comm.size), np.zeros(comm.size)
        >>> with rondo.plan("alltoall", comm, send, recv) as plan:
        ...     plan.execute()
        ...     plan.execute(send=2 * send)
        >>> recv.tolist() == [2] * comm.size
        True
        """
        outgoing, incoming = self._sides(send, recv)
        self._plan.execute(outgoing.address, incoming.address)

    def start(
        self, send: Buffer | InPlace = None, recv: WritableBuffer | None = None
    ) -> requests.Request:
        """Start what execute() does. It waits for no rank.

        Collective over the plan's communicator.

        Parameters
        ----------
        send
            As in execute().
        recv
            As in execute().

        Returns
        -------
        Request
            To be completed.

        Raises
        ------
        TypeError
            If a buffer is of a wrong type.
        ValueError
            If a buffer is too small.
        Error
            If the exchange cannot start.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> from mpi4py import MPI
        >>> comm = MPI.COMM_WORLD
        >>> send, recv = np.ones(comm.size), np.zeros(comm.size)
        >>> with rondo.plan("alltoall", comm, send, recv) as plan:
        ...     plan.start().wait()
        >>> recv.tolist() == [1] * comm.size
        True
        """
        outgoing, incoming = self._sides(send, recv)
        begun = self._plan.start(outgoing.address, incoming.address)
        return requests.Request(begun, outgoing, incoming)

    def _sides(
        self, send: Buffer | InPlace, recv: WritableBuffer | None
    ) -> tuple[_specs.Spec, _specs.Spec]:
        outgoing, incoming = self._send, self._recv
        if outgoing.address == _mpi.in_place:
            if not _specs.is_in_place(send):
                raise ValueError("the plan was made in place, so it takes no send buffer")
        elif send is not None:
            outgoing = outgoing.moved_to(send, False)
        if recv is not None:
            incoming = incoming.moved_to(recv, True)
        return outgoing, incoming

    @property
    def algorithm(self) -> str:
        """The plan's algorithm with all parameters, or the ones that it is still measuring."""
        return self._plan.algorithm()

    def free(self) -> None:
        """Free the plan, once. Collective; before MPI is finalized."""
        self._plan.free()
        self._is_freed = True

    def __repr__(self) -> str:
        state = "freed" if self._is_freed else f"algorithm={self.algorithm!r}"
        return f"Plan(collective={self._collective!r}, ranks={self._ranks}, {state})"

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *exception: object) -> None:
        self.free()


@overload
def plan(
    collective: Literal["alltoall"],
    comm: MPI.Comm,
    send: UniformSend | InPlace,
    recv: UniformReceive,
    info: MPI.Info = ...,
) -> Plan: ...


@overload
def plan(
    collective: Literal["alltoallv"],
    comm: MPI.Comm,
    send: VectorSend | InPlace,
    recv: VectorReceive,
    info: MPI.Info = ...,
) -> Plan: ...


@overload
def plan(
    collective: Literal["alltoallw"],
    comm: MPI.Comm,
    send: TypedSend | InPlace,
    recv: TypedReceive,
    info: MPI.Info = ...,
) -> Plan: ...


@overload
def plan(
    collective: Literal["neighbor_alltoall"],
    comm: MPI.Comm,
    send: UniformSend,
    recv: UniformReceive,
    info: MPI.Info = ...,
) -> Plan: ...


@overload
def plan(
    collective: Literal["neighbor_alltoallv"],
    comm: MPI.Comm,
    send: VectorSend,
    recv: VectorReceive,
    info: MPI.Info = ...,
) -> Plan: ...


@overload
def plan(
    collective: Literal["neighbor_alltoallw"],
    comm: MPI.Comm,
    send: TypedSend,
    recv: TypedReceive,
    info: MPI.Info = ...,
) -> Plan: ...


def plan(
    collective: Planned,
    comm: MPI.Comm,
    send: object,
    recv: object,
    info: MPI.Info = MPI.INFO_NULL,
) -> Plan:
    """Plan an exchange. Collective.

    The plan fixes the algorithm, counts, displacements and datatypes. After its first execution it
    remembers the sizes of the other ranks' blocks.

    Parameters
    ----------
    collective
        "alltoall", "alltoallv", "alltoallw", "neighbor_alltoall", "neighbor_alltoallv" or
        "neighbor_alltoallw".
    comm
        The communicator.
    send
        What this rank sends, as in the function of that name.
    recv
        Where this rank receives, as in the function of that name.
    info
        May name an algorithm, as in the C interface. With the key "rondo_measure" it makes the
        plan try a few algorithms in its first executions and continue with the fastest.

    Returns
    -------
    Plan
        To be executed, and to be freed on all ranks.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the plan cannot be made.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send, recv = np.full(comm.size, comm.rank), np.empty(comm.size, int)
    >>> info = MPI.Info.Create({"rondo_alltoall": "tunable_bruck:radix=2"})
    >>> with rondo.plan("alltoall", comm, send, recv, info) as plan:
    ...     plan.execute()
    ...     plan.algorithm.partition(":")[0]
    'tunable_bruck'
    >>> recv.tolist() == list(range(comm.size))
    True
    >>> info.Free()
    """
    if not isinstance(collective, str) or collective not in _READERS:
        raise ValueError(f"collective is {collective!r}, must be one of {', '.join(_READERS)}")
    sides = _specs.edge_sides if collective.startswith("neighbor") else _specs.sides
    outgoing, incoming = sides(_READERS[collective], comm, send, recv)
    make = _PLANNERS[collective]
    made = make(handle_of(comm, MPI.Comm), outgoing.side, incoming.side, handle_of(info, MPI.Info))
    return Plan(made, outgoing, incoming, (collective, comm.Get_size()))
