"""Nonblocking exchanges: functions that return at once, and requests that complete later."""

from __future__ import annotations

from collections.abc import Iterable

import numpy.typing as npt

from rondo import _specs
from rondo._described import described
from rondo._library import MPI, _mpi
from rondo.errors import Error
from rondo.exchange import Received
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
    "DynamicRequest",
    "Request",
    "ialltoall",
    "ialltoallv",
    "ialltoallv_dynamic",
    "ialltoallw",
    "ineighbor_alltoall",
    "ineighbor_alltoallv",
    "ineighbor_alltoallw",
    "waitall",
]


class Request:
    """A nonblocking exchange that has been started, by a function of this module or Plan.start.

    It keeps the buffers alive. Do not touch their contents until the exchange is complete.
    Complete every request: the garbage collector does not wait for other ranks. "May this hang?"
    in docs/library.md says where the exchange makes progress.

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

    def __init__(self, request: _mpi.Request, *alive: object) -> None:
        self._request = request
        self._alive = alive
        _OUTSTANDING.add(self)

    def wait(self) -> None:
        """Wait until the exchange is complete. Returns at once if it is complete already.

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
        """Let all exchanges make progress, and say whether this one is complete.

        Returns
        -------
        bool
            Whether this exchange is complete.

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


class DynamicRequest(Request):
    """A nonblocking exchange whose result is what has arrived.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> rondo.prepare(comm)
    >>> request = rondo.ialltoallv_dynamic(comm, (np.arange(comm.size), [1] * comm.size))
    >>> request.wait()
    >>> request.result.data.tolist() == [comm.rank] * comm.size
    True
    """

    def __init__(
        self, element: npt.DTypeLike, request: _mpi.DynamicRequest, *alive: object
    ) -> None:
        super().__init__(request, *alive)
        self._dynamic = request
        self._element = element
        self._result: Received | None = None

    @property
    def result(self) -> Received:
        """The blocks in one new array, with their counts and displacements. Waits for them."""
        if self._result is None:
            self.wait()
            data, *numbers = self._dynamic.release()
            self._result = Received(data.view(self._element), *numbers)
        return self._result


_OUTSTANDING: set[Request] = set()
"""Requests that are not complete; Rondo may still write to their buffers, also in MPI_Finalize."""

_mpi.keep(_OUTSTANDING)


@described
def ialltoall(comm: MPI.Comm, send: UniformSend | InPlace, recv: UniformReceive) -> Request:
    """Start a nonblocking `alltoall`. Collective."""
    started = _mpi.plain_ialltoall(comm, send, recv)
    return Request(*(started or _specs.run(_specs.START, "alltoall", comm, send, recv)))


@described
def ialltoallv(comm: MPI.Comm, send: VectorSend | InPlace, recv: VectorReceive) -> Request:
    """Start a nonblocking `alltoallv`. Collective."""
    started = _mpi.plain_ialltoallv(comm, send, recv)
    return Request(*(started or _specs.run(_specs.START, "alltoallv", comm, send, recv)))


@described
def ialltoallv_dynamic(
    comm: MPI.Comm, send: VectorSend, dtype: npt.DTypeLike | None = None
) -> DynamicRequest:
    """Start a nonblocking `alltoallv_dynamic`. Collective, never in place."""
    if dtype is None and (started := _mpi.plain_ialltoallv_dynamic(comm, send)):
        return DynamicRequest(*started)
    given = _specs.dynamic(comm, send, dtype)
    request = given.run(_mpi.ialltoallv_dynamic, given.element.itemsize)
    return DynamicRequest(given.element, request, given.outgoing)


@described
def ialltoallw(comm: MPI.Comm, send: TypedSend | InPlace, recv: TypedReceive) -> Request:
    """Start a nonblocking `alltoallw`. Collective."""
    return Request(*_specs.run(_specs.START, "alltoallw", comm, send, recv))


@described
def ineighbor_alltoall(comm: MPI.Comm, send: UniformSend, recv: UniformReceive) -> Request:
    """Start a nonblocking `neighbor_alltoall`. Collective."""
    return Request(*_specs.run(_specs.START, "neighbor_alltoall", comm, send, recv))


@described
def ineighbor_alltoallv(comm: MPI.Comm, send: VectorSend, recv: VectorReceive) -> Request:
    """Start a nonblocking `neighbor_alltoallv`. Collective."""
    return Request(*_specs.run(_specs.START, "neighbor_alltoallv", comm, send, recv))


@described
def ineighbor_alltoallw(comm: MPI.Comm, send: TypedSend, recv: TypedReceive) -> Request:
    """Start a nonblocking `neighbor_alltoallw`. Collective."""
    return Request(*_specs.run(_specs.START, "neighbor_alltoallw", comm, send, recv))


def waitall(requests: Iterable[Request]) -> None:
    """Wait until all of these exchanges are complete, in whatever order they are.

    Parameters
    ----------
    requests
        What the functions of this module and Plan.start have returned.

    Raises
    ------
    TypeError
        If one of them is no request.
    Error
        If an exchange has failed: the error of the first of them, once all are complete.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> send = np.ones(MPI.COMM_WORLD.size)
    >>> received = [np.zeros_like(send) for _ in range(3)]
    >>> rondo.waitall([rondo.ialltoall(MPI.COMM_WORLD, send, recv) for recv in received])
    """
    waited = list(requests)
    for request in waited:
        if not isinstance(request, Request):
            raise TypeError(f"expecting requests of rondo, got {type(request).__name__}")
    failures = []
    for request in waited:
        try:
            request.wait()
        except Error as error:
            failures.append(error)
    if failures:
        raise failures[0]
