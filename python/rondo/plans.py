"""Plans: exchanges whose arguments are kept, to be executed many times."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from rondo import _specs, requests
from rondo._described import described
from rondo._library import MPI, _mpi, handle_of
from rondo.exchange import SparseReceived
from rondo.typing import (
    Buffer,
    InPlace,
    Numbers,
    Planned,
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
    WritableBuffer,
)

__all__ = ["Plan", "SparsePlan", "plan", "sparse_plan"]


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

    @described
    def execute(self, send: Buffer | InPlace = None, recv: WritableBuffer | None = None) -> None:
        """Exchange in the plan's buffers, or in the given ones.

        Collective over the plan's communicator.
        """
        outgoing, incoming = self._sides(send, recv)
        self._plan.execute(outgoing.address, incoming.address)

    @described
    def start(
        self, send: Buffer | InPlace = None, recv: WritableBuffer | None = None
    ) -> requests.Request:
        """Start a nonblocking execute(), which waits for no other rank.

        Collective over the plan's communicator.
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
        """The plan's algorithm with all parameters: if it learns, the fastest so far."""
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


class SparsePlan(Plan):
    """A plan of a sparse exchange, made by `rondo.sparse_plan`.

    `received` is what its executions receive: an array of the plan's own, with the sources, counts
    and displacements of the blocks in it. They stay the same in all executions.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send = np.full(2, comm.rank)
    >>> with rondo.sparse_plan(comm, [comm.rank], (send, [2])) as plan:
    ...     for step in range(3):
    ...         plan.execute()
    >>> plan.received.data.tolist() == [comm.rank] * 2
    True
    """

    def __init__(
        self,
        plan: _mpi.Plan,
        send: _specs.Spec,
        recv: _specs.Spec,
        received: SparseReceived,
        ranks: int,
    ) -> None:
        super().__init__(plan, send, recv, ("sparse_alltoallv", ranks))
        self.received = received


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


@described
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
    """
    if not isinstance(collective, str) or collective not in _specs.KNOWN:
        raise ValueError(f"collective is {collective!r}, must be one of {', '.join(_specs.KNOWN)}")
    made, outgoing, incoming = _specs.run(
        _specs.PLAN, collective, comm, send, recv, handle_of(info, MPI.Info)
    )
    return Plan(made, outgoing, incoming, (collective, comm.Get_size()))


@described
def sparse_plan(
    comm: MPI.Comm,
    destinations: Numbers,
    send: VectorSend,
    dtype: npt.DTypeLike | None = None,
    info: MPI.Info = MPI.INFO_NULL,
) -> SparsePlan:
    """Plan a sparse exchange. Collective, never in place.

    Who sends to whom, and how much, is found out once. `received` of the plan says it.
    """
    given = _specs.dynamic(comm, send, dtype, _specs.ranks_of(destinations))
    made, *numbers = given.run(_mpi.plan_sparse_alltoallv, handle_of(info, MPI.Info))
    sources, counts, displs = numbers
    data = np.empty(int(counts.sum()), given.element)
    incoming = _specs.vector([data, (counts, displs), given.kind], len(sources), True)
    received = SparseReceived(data, sources, counts, displs)
    return SparsePlan(made, given.outgoing, incoming, received, comm.Get_size())
