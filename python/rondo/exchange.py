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
from rondo._described import described
from rondo._library import MPI, _mpi, handle_of
from rondo.errors import Error
from rondo.received import Received
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


@described
def alltoall(comm: MPI.Comm, send: UniformSend | InPlace, recv: UniformReceive) -> None:
    """Send a block to every rank and receive one from each, all of the same length. Collective."""
    if not _mpi.plain_alltoall(comm, send, recv):
        _specs.run(_specs.CALL, "alltoall", comm, send, recv)


@described
def alltoallv(comm: MPI.Comm, send: VectorSend | InPlace, recv: VectorReceive) -> None:
    """Exchange blocks of any lengths. Displacements count elements. Collective."""
    if not _mpi.plain_alltoallv(comm, send, recv):
        _specs.run(_specs.CALL, "alltoallv", comm, send, recv)


@described
def alltoallv_dynamic(
    comm: MPI.Comm, send: VectorSend, dtype: npt.DTypeLike | None = None
) -> Received:
    """Send blocks of any lengths and learn what arrives. Collective, never in place.

    One call replaces an alltoall of the counts and an alltoallv.
    """
    if dtype is None and (arrived := _mpi.plain_alltoallv_dynamic(comm, send)):
        element, (data, counts, displs) = arrived
        return Received(data.view(element), counts, displs)
    given = _specs.dynamic(comm, send, dtype)
    return Received(*given.arrays(*given.run(_mpi.alltoallv_dynamic, given.element.itemsize)))


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


@described
def sparse_alltoallv(
    comm: MPI.Comm, destinations: Numbers, send: VectorSend, dtype: npt.DTypeLike | None = None
) -> SparseReceived:
    """Send blocks to some ranks, and learn who sends to this one. Collective, never in place.

    Nothing has an entry for every rank.
    """
    given = _specs.dynamic(comm, send, dtype, _specs.ranks_of(destinations))
    arrived = given.run(_mpi.sparse_alltoallv, given.element.itemsize)
    return SparseReceived(*given.arrays(*arrived))


@described
def alltoallw(comm: MPI.Comm, send: TypedSend | InPlace, recv: TypedReceive) -> None:
    """Exchange blocks, each with its own datatype. Displacements count bytes. Collective."""
    _specs.run(_specs.CALL, "alltoallw", comm, send, recv)


@described
def prepare(comm: MPI.Comm, info: MPI.Info = MPI.INFO_NULL) -> None:
    """Set Rondo up on `comm` now, so that no call is forwarded to the MPI library. Collective."""
    _mpi.prepare(handle_of(comm, MPI.Comm), handle_of(info, MPI.Info))


@described
def set_algorithm(comm: MPI.Comm, collective: Collective, algorithm: str = "auto") -> None:
    """Make `collective` on `comm` run `algorithm`. Collective."""
    handle = handle_of(comm, MPI.Comm)
    for text in (collective, algorithm):
        if not isinstance(text, str):
            raise TypeError(f"expecting the name of an algorithm or collective, got {text!r}")
    _mpi.set_algorithm(handle, collective, algorithm)
