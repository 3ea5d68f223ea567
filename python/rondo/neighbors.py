"""Neighbourhood exchanges over mpi4py's communicators with a topology.

Arguments and meaning are those of mpi4py's Topocomm.Neighbor_alltoall, Neighbor_alltoallv and
Neighbor_alltoallw: a block for every edge, in the order of the communicator's edges. Nothing is
exchanged in place.
"""

from __future__ import annotations

from rondo import _specs
from rondo._library import MPI, _mpi, handle_of
from rondo.typing import (
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
)

__all__ = ["neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"]


def neighbor_alltoall(comm: MPI.Comm, send: UniformSend, recv: UniformReceive) -> None:
    """Send a block along every edge and receive one, all of the same length. Collective.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in Topocomm.Neighbor_alltoall: a buffer that the blocks fill, or a
        buffer with the elements of a block and their datatype.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails, or the communicator has no topology.

    Examples
    --------
    On a ring, to the rank below and to the rank above:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> ring = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True])
    >>> send, recv = np.array([10 * ring.rank, 10 * ring.rank + 1]), np.zeros(2, int)
    >>> rondo.neighbor_alltoall(ring, send, recv)
    >>> below, above = ring.Shift(0, 1)
    >>> recv.tolist() == [10 * below + 1, 10 * above]
    True
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.uniform, comm, send, recv)
    _mpi.neighbor_alltoall(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


def neighbor_alltoallv(comm: MPI.Comm, send: VectorSend, recv: VectorReceive) -> None:
    """Exchange blocks of any lengths along the edges. Displacements count elements. Collective.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in Topocomm.Neighbor_alltoallv: a buffer with a count for each
        edge, with displacements where blocks do not follow each other, and with a datatype where
        it is not the buffer's own.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails, or the communicator has no topology.

    Examples
    --------
    Rank r sends r + 1 numbers to the rank above:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> world = MPI.COMM_WORLD
    >>> below, above = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    >>> ring = world.Create_dist_graph_adjacent([below], [above])
    >>> recv = np.zeros(below + 1, int)
    >>> rondo.neighbor_alltoallv(
    ...     ring, (np.full(world.rank + 1, world.rank), [world.rank + 1]), (recv, [below + 1])
    ... )
    >>> recv.tolist() == [below] * (below + 1)
    True
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.vector, comm, send, recv)
    _mpi.neighbor_alltoallv(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


def neighbor_alltoallw(comm: MPI.Comm, send: TypedSend, recv: TypedReceive) -> None:
    """Exchange blocks with a datatype each along the edges. Displacements count bytes. Collective.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in Topocomm.Neighbor_alltoallw: a buffer with counts,
        displacements and datatypes, one of each for every edge.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails, or the communicator has no topology.

    Examples
    --------
    A column of a matrix goes to the rank above:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> world = MPI.COMM_WORLD
    >>> below, above = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    >>> ring = world.Create_dist_graph_adjacent([below], [above])
    >>> column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
    >>> send, recv = np.full((3, 4), world.rank, float), np.zeros((3, 4))
    >>> rondo.neighbor_alltoallw(ring, (send, [1], [24], [column]), (recv, [1], [0], [column]))
    >>> recv[:, 0].tolist() == [below] * 3
    True
    >>> column.Free()
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.addressed, comm, send, recv)
    _mpi.neighbor_alltoallw(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
