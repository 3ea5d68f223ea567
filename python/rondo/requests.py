"""Started exchanges: functions that return at once, and requests that complete later."""

from __future__ import annotations

from rondo import _specs
from rondo._library import MPI, _mpi, handle_of
from rondo.typing import (
    InPlace,
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
)

__all__ = [
    "Request",
    "ialltoall",
    "ialltoallv",
    "ialltoallw",
    "ineighbor_alltoall",
    "ineighbor_alltoallv",
    "ineighbor_alltoallw",
]


class Request:
    """An exchange that has been started, as the functions of this module and Plan.start return it.

    It keeps the buffers alive. Leave their contents alone until the exchange is complete, and
    complete every request: the garbage collector does not wait for other ranks. "May this hang?"
    in docs/library.md says where the exchange goes on.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send, recv = np.full(comm.size, comm.rank), np.empty(comm.size, int)
    >>> request = rondo.ialltoall(comm, send, recv)
    >>> total = sum(range(1000))  # some computation
    >>> request.wait()
    >>> recv.tolist() == list(range(comm.size))
    True
    """

    def __init__(self, request: _mpi.Request, send: _specs.Spec, recv: _specs.Spec) -> None:
        self._request = request
        self._alive: tuple[_specs.Spec, ...] = (send, recv)
        _OUTSTANDING.add(self)

    def wait(self) -> None:
        """Wait until the exchange is complete. A complete one is complete at once.

        Raises
        ------
        Error
            If the exchange has failed.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> from mpi4py import MPI
        >>> send = np.ones(MPI.COMM_WORLD.size)
        >>> recv = np.zeros_like(send)
        >>> rondo.ialltoall(MPI.COMM_WORLD, send, recv).wait()
        """
        try:
            self._request.wait()
        finally:
            self._release()

    def test(self) -> bool:
        """Let exchanges go on, and say whether this one is complete.

        Returns
        -------
        bool
            Whether it is complete.

        Raises
        ------
        Error
            If the exchange has failed.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> from mpi4py import MPI
        >>> send = np.ones(MPI.COMM_WORLD.size)
        >>> recv = np.zeros_like(send)
        >>> request = rondo.ialltoall(MPI.COMM_WORLD, send, recv)
        >>> while not request.test():
        ...     pass  # compute
        """
        try:
            is_complete = self._request.test()
        except BaseException:
            self._release()
            raise
        if is_complete:
            self._release()
        return is_complete

    def _release(self) -> None:
        self._alive = ()
        _OUTSTANDING.discard(self)

    def __repr__(self) -> str:
        return f"Request({'outstanding' if self._alive else 'complete'})"


_OUTSTANDING: set[Request] = set()
"""Requests that are not complete; Rondo may still write to their buffers."""


def ialltoall(comm: MPI.Comm, send: UniformSend | InPlace, recv: UniformReceive) -> Request:
    """Start what `alltoall` does. All ranks call it, and it waits for none of them.

    Call `prepare` first; before, the MPI library carries out the exchange.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in alltoall.
    recv
        Where this rank receives, as in alltoall.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> rondo.prepare(comm)
    >>> send, recv = np.full(comm.size, comm.rank), np.empty(comm.size, int)
    >>> rondo.ialltoall(comm, send, recv).wait()
    >>> recv.tolist() == list(range(comm.size))
    True
    """
    outgoing, incoming = _specs.sides(_specs.uniform, comm, send, recv)
    begun = _mpi.ialltoall(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)


def ialltoallv(comm: MPI.Comm, send: VectorSend | InPlace, recv: VectorReceive) -> Request:
    """Start what `alltoallv` does. All ranks call it, and it waits for none of them.

    Call `prepare` first; before, the MPI library carries out the exchange.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in alltoallv.
    recv
        Where this rank receives, as in alltoallv.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> counts = [2] * comm.size
    >>> send, recv = np.full(2 * comm.size, comm.rank), np.empty(2 * comm.size, int)
    >>> request = rondo.ialltoallv(comm, (send, counts), (recv, counts))
    >>> request.wait()
    >>> recv.tolist() == [rank for rank in range(comm.size) for _ in range(2)]
    True
    """
    outgoing, incoming = _specs.sides(_specs.vector, comm, send, recv)
    begun = _mpi.ialltoallv(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)


def ialltoallw(comm: MPI.Comm, send: TypedSend | InPlace, recv: TypedReceive) -> Request:
    """Start what `alltoallw` does. All ranks call it, and it waits for none of them.

    Call `prepare` first; before, the MPI library carries out the exchange.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in alltoallw.
    recv
        Where this rank receives, as in alltoallw.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send, recv = np.full(comm.size, comm.rank, "d"), np.empty(comm.size)
    >>> ones, starts = [1] * comm.size, [8 * rank for rank in range(comm.size)]
    >>> kinds = [MPI.DOUBLE] * comm.size
    >>> rondo.ialltoallw(comm, (send, ones, starts, kinds), (recv, ones, starts, kinds)).wait()
    >>> recv.tolist() == list(range(comm.size))
    True
    """
    outgoing, incoming = _specs.sides(_specs.typed, comm, send, recv)
    begun = _mpi.ialltoallw(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)


def ineighbor_alltoall(comm: MPI.Comm, send: UniformSend, recv: UniformReceive) -> Request:
    """Start what `neighbor_alltoall` does. All ranks call it, and it waits for none of them.

    Before a call of `neighbor_alltoall`, or a plan, on the communicator, the MPI library carries
    out the exchange.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in neighbor_alltoall.
    recv
        Where this rank receives, as in neighbor_alltoall.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start, or the communicator has no topology.

    Examples
    --------
    On a ring, two numbers to the rank above:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> world = MPI.COMM_WORLD
    >>> below, above = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    >>> ring = world.Create_dist_graph_adjacent([below], [above])
    >>> send, recv = np.full(2, world.rank), np.zeros(2, int)
    >>> request = rondo.ineighbor_alltoall(ring, send, recv)
    >>> total = sum(range(1000))  # some computation
    >>> request.wait()
    >>> recv.tolist() == [below, below]
    True
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.uniform, comm, send, recv)
    begun = _mpi.ineighbor_alltoall(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)


def ineighbor_alltoallv(comm: MPI.Comm, send: VectorSend, recv: VectorReceive) -> Request:
    """Start what `neighbor_alltoallv` does. All ranks call it, and it waits for none of them.

    Before a call of `neighbor_alltoallv`, or a plan, on the communicator, the MPI library carries
    out the exchange.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in neighbor_alltoallv.
    recv
        Where this rank receives, as in neighbor_alltoallv.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start, or the communicator has no topology.

    Examples
    --------
    Rank r sends r + 1 numbers to the rank above:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> world = MPI.COMM_WORLD
    >>> below, above = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    >>> ring = world.Create_dist_graph_adjacent([below], [above])
    >>> send, recv = np.full(world.rank + 1, world.rank), np.zeros(below + 1, int)
    >>> request = rondo.ineighbor_alltoallv(ring, (send, [world.rank + 1]), (recv, [below + 1]))
    >>> request.wait()
    >>> recv.tolist() == [below] * (below + 1)
    True
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.vector, comm, send, recv)
    begun = _mpi.ineighbor_alltoallv(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)


def ineighbor_alltoallw(comm: MPI.Comm, send: TypedSend, recv: TypedReceive) -> Request:
    """Start what `neighbor_alltoallw` does. All ranks call it, and it waits for none of them.

    Before a call of `neighbor_alltoallw`, or a plan, on the communicator, the MPI library carries
    out the exchange.

    Parameters
    ----------
    comm
        The communicator, which has a topology.
    send
        What this rank sends, as in neighbor_alltoallw.
    recv
        Where this rank receives, as in neighbor_alltoallw.

    Returns
    -------
    Request
        To be completed.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange cannot start, or the communicator has no topology.

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
    >>> blocks = (send, [1], [24], [column]), (recv, [1], [0], [column])
    >>> rondo.ineighbor_alltoallw(ring, *blocks).wait()
    >>> recv[:, 0].tolist() == [below] * 3
    True
    >>> column.Free()
    >>> ring.Free()
    """
    outgoing, incoming = _specs.edge_sides(_specs.addressed, comm, send, recv)
    begun = _mpi.ineighbor_alltoallw(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)
    return Request(begun, outgoing, incoming)
