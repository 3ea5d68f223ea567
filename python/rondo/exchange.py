"""Exchanges over mpi4py's communicators.

Arguments and meaning are those of mpi4py's Comm.Alltoall, Alltoallv and Alltoallw: objects with the
buffer protocol or DLPack in host memory, [buffer, datatype], [buffer, counts, displs, datatype] and
its shorter forms, and MPI.IN_PLACE to exchange in the receive buffer. rondo.typing has their types.
Other Python threads run during an exchange. Errors are raised as `Error`, which is an
mpi4py.MPI.Exception.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rondo import _specs
from rondo._library import MPI, _mpi, handle_of
from rondo.errors import Error
from rondo.typing import (
    Collective,
    InPlace,
    Numbers,
    TypedReceive,
    TypedSend,
    UniformReceive,
    UniformSend,
    VectorReceive,
    VectorSend,
)

__all__ = [
    "Error",
    "Received",
    "SparseReceived",
    "alltoall",
    "alltoallv",
    "alltoallv_dynamic",
    "alltoallw",
    "prepare",
    "set_algorithm",
    "sparse_alltoallv",
]


def alltoall(comm: MPI.Comm, send: UniformSend | InPlace, recv: UniformReceive) -> None:
    """Send a block to every rank and receive one from each, all of the same length. Collective.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in Comm.Alltoall: a buffer that P blocks fill, or a buffer with
        the elements of a block and their datatype. MPI.IN_PLACE exchanges in `recv`.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send = np.arange(comm.size) + 100 * comm.rank  # one number to every rank
    >>> recv = np.empty_like(send)
    >>> rondo.alltoall(comm, send, recv)
    >>> recv.tolist() == [100 * rank + comm.rank for rank in range(comm.size)]
    True
    """
    outgoing, incoming = _specs.sides(_specs.uniform, comm, send, recv)
    _mpi.alltoall(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


def alltoallv(comm: MPI.Comm, send: VectorSend | InPlace, recv: VectorReceive) -> None:
    """Exchange blocks of any lengths. Displacements count elements. Collective.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in Comm.Alltoallv: a buffer with a count for each rank, with
        displacements where blocks do not follow each other, and with a datatype where it is not
        the buffer's own. MPI.IN_PLACE exchanges in `recv`.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails.

    Examples
    --------
    Rank r sends r + 1 numbers to every rank:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> sent = [comm.rank + 1] * comm.size
    >>> arriving = [rank + 1 for rank in range(comm.size)]
    >>> send = np.full(sum(sent), comm.rank)
    >>> recv = np.empty(sum(arriving), send.dtype)
    >>> rondo.alltoallv(comm, (send, sent), (recv, arriving))
    >>> recv.tolist() == [rank for rank in range(comm.size) for _ in range(rank + 1)]
    True
    """
    outgoing, incoming = _specs.sides(_specs.vector, comm, send, recv)
    _mpi.alltoallv(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


class Received(NamedTuple):
    """What has arrived: the block from rank q is data[displs[q] : displs[q] + counts[q]].

    Examples
    --------
    >>> import numpy as np
    >>> one = Received(np.array([7, 8, 9]), np.array([1, 2]), np.array([0, 1]))
    >>> one.data[one.displs[1] : one.displs[1] + one.counts[1]].tolist()  # from rank 1
    [8, 9]
    """

    data: npt.NDArray[Any]
    counts: npt.NDArray[np.int64]
    displs: npt.NDArray[np.int64]


def alltoallv_dynamic(
    comm: MPI.Comm, send: VectorSend, dtype: npt.DTypeLike | None = None
) -> Received:
    """Send blocks of any lengths and learn what arrives. Collective, never in place.

    One call takes the place of an alltoall of counts and an alltoallv.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in alltoallv.
    dtype
        NumPy's type of the elements that arrive; without it they are as those that this rank
        sends.

    Returns
    -------
    Received
        The blocks in one new array, with their counts and where they begin.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails.

    Examples
    --------
    Rank r sends r + 1 numbers to every rank, and nobody tells the others:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> sent = [comm.rank + 1] * comm.size
    >>> arrived = rondo.alltoallv_dynamic(comm, (np.full(sum(sent), comm.rank), sent))
    >>> arrived.counts.tolist() == [rank + 1 for rank in range(comm.size)]
    True
    >>> int(arrived.data[arrived.displs[0]])
    0
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


class SparseReceived(NamedTuple):
    """What has arrived from whom: the i-th block is from rank sources[i].

    It is data[displs[i] : displs[i] + counts[i]]. Ranks are in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> data, ranks = np.array([7, 8, 9]), np.array([2, 6])
    >>> one = SparseReceived(data, ranks, counts=np.array([1, 2]), displs=np.array([0, 1]))
    >>> {int(rank): block.tolist() for rank, block in one.blocks().items()}
    {2: [7], 6: [8, 9]}
    """

    data: npt.NDArray[Any]
    sources: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    displs: npt.NDArray[np.int64]

    def blocks(self) -> dict[int, npt.NDArray[Any]]:
        """Return the block of each source, by its rank.

        Returns
        -------
        dict
            Views of the data.
        """
        return {
            int(rank): self.data[first : first + count]
            for rank, count, first in zip(self.sources, self.counts, self.displs)
        }


def sparse_alltoallv(
    comm: MPI.Comm, destinations: Numbers, send: VectorSend, dtype: npt.DTypeLike | None = None
) -> SparseReceived:
    """Send blocks to some ranks, and learn who sends to this one. Collective, never in place.

    Nothing has an entry for every rank.

    Parameters
    ----------
    comm
        The communicator.
    destinations
        The ranks to which this rank sends, in any order, each once. This rank may be among them.
    send
        What this rank sends, as in alltoallv, with a count for each destination. Nobody learns of
        a block without elements.
    dtype
        NumPy's type of the elements that arrive; without it they are as those that this rank
        sends.

    Returns
    -------
    SparseReceived
        The blocks in one new array, with their sources, their counts and where they begin.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails.

    Examples
    --------
    Every rank sends two numbers to the next one, and nobody tells the others:

    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> above, below = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    >>> arrived = rondo.sparse_alltoallv(comm, [above], (np.full(2, comm.rank), [2]))
    >>> arrived.sources.tolist() == [below] and arrived.data.tolist() == [below, below]
    True
    """
    handle = handle_of(comm, MPI.Comm)
    if _specs.is_in_place(send):
        raise ValueError("a sparse exchange is not in place: give it a buffer to send from")
    ranks = _specs.ranks_of(destinations)
    outgoing = _specs.vector(send, len(ranks), False)
    kind, element = _specs.element_of(send, dtype)
    data, sources, counts, displs = _mpi.sparse_alltoallv(
        handle, ranks, outgoing.side, handle_of(kind, MPI.Datatype), element.itemsize
    )
    return SparseReceived(
        data.view(element), *(np.array(one, np.int64) for one in (sources, counts, displs))
    )


def alltoallw(comm: MPI.Comm, send: TypedSend | InPlace, recv: TypedReceive) -> None:
    """Exchange blocks with a datatype each. Displacements count bytes. Collective.

    Parameters
    ----------
    comm
        The communicator.
    send
        What this rank sends, as in Comm.Alltoallw: a buffer with counts, displacements and
        datatypes, one of each for every rank. MPI.IN_PLACE exchanges in `recv`.
    recv
        Where this rank receives, in the same form.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument has a wrong value, or a block is not inside its buffer.
    Error
        If the exchange fails.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send, recv = np.full(comm.size, comm.rank, "d"), np.empty(comm.size)
    >>> ones, starts = [1] * comm.size, [8 * rank for rank in range(comm.size)]
    >>> kinds = [MPI.DOUBLE] * comm.size
    >>> rondo.alltoallw(comm, (send, ones, starts, kinds), (recv, ones, starts, kinds))
    >>> recv.tolist() == list(range(comm.size))
    True
    """
    outgoing, incoming = _specs.sides(_specs.typed, comm, send, recv)
    _mpi.alltoallw(handle_of(comm, MPI.Comm), outgoing.side, incoming.side)


def prepare(comm: MPI.Comm, info: MPI.Info = MPI.INFO_NULL) -> None:
    """Set Rondo up on `comm` now, so that no call is forwarded to the MPI library. Collective.

    Parameters
    ----------
    comm
        The communicator.
    info
        May name algorithms, as in the C interface.

    Raises
    ------
    Error
        If the set-up fails.

    Examples
    --------
    >>> import rondo
    >>> from mpi4py import MPI
    >>> rondo.prepare(MPI.COMM_WORLD)
    """
    _mpi.prepare(handle_of(comm, MPI.Comm), handle_of(info, MPI.Info))


def set_algorithm(comm: MPI.Comm, collective: Collective, algorithm: str = "auto") -> None:
    """Make `collective` on `comm` run `algorithm`. Collective.

    Parameters
    ----------
    comm
        The communicator.
    collective
        "alltoall", "alltoallv", "alltoallw", "sparse_alltoallv" or "neighbor_alltoallv", which
        stands for all neighbourhood exchanges.
    algorithm
        The algorithm, as in "fused_bruck:radix=4"; the same on all ranks. "auto" leaves the choice
        to Rondo.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    Error
        If there is no such algorithm.

    Examples
    --------
    >>> import rondo
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD.Dup()
    >>> rondo.set_algorithm(comm, "alltoallv", "fused_bruck:radix=4")
    >>> comm.Free()
    """
    handle = handle_of(comm, MPI.Comm)
    for text in (collective, algorithm):
        if not isinstance(text, str):
            raise TypeError(f"expecting the name of an algorithm or collective, got {text!r}")
    _mpi.set_algorithm(handle, collective, algorithm)
