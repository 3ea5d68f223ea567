"""Neighbourhood exchanges over mpi4py's communicators with a topology.

Arguments and meaning are those of mpi4py's Topocomm.Neighbor_alltoall, Neighbor_alltoallv and
Neighbor_alltoallw: a block for every edge, in the order of the communicator's edges. Nothing is
exchanged in place.
"""

from __future__ import annotations

from rondo import _specs
from rondo._described import described
from rondo._library import MPI
from rondo.typing import (
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
)

__all__ = ["neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"]


@described
def neighbor_alltoall(comm: MPI.Comm, send: UniformSend, recv: UniformReceive) -> None:
    """Send a block along every edge and receive one, all of the same length. Collective."""
    _specs.run(_specs.CALL, "neighbor_alltoall", comm, send, recv)


@described
def neighbor_alltoallv(comm: MPI.Comm, send: VectorSend, recv: VectorReceive) -> None:
    """Exchange blocks of any lengths along the edges. Displacements count elements. Collective."""
    _specs.run(_specs.CALL, "neighbor_alltoallv", comm, send, recv)


@described
def neighbor_alltoallw(comm: MPI.Comm, send: TypedSend, recv: TypedReceive) -> None:
    """Exchange blocks of any datatypes along the edges. Displacements count bytes. Collective."""
    _specs.run(_specs.CALL, "neighbor_alltoallw", comm, send, recv)
