"""What an exchange or another collective returns that completes later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Callable, Protocol

import torch
from torch.distributed.distributed_c10d import Work as TorchWork

from rondo._library import MPI

__all__ = ["Work"]


class Started(Protocol):
    """A request of Rondo, or one of the classes below."""

    def wait(self) -> object:
        """Wait until it is complete."""

    def test(self) -> bool:
        """Say whether it is complete."""


class OfMpi:
    """A request of MPI, with what must live until it is complete."""

    def __init__(self, request: MPI.Request, *alive: object) -> None:
        self._request = request
        self._alive = alive
        self._status = MPI.Status()

    @property
    def source(self) -> int:
        """The rank from which a message has come."""
        return self._status.source

    def wait(self) -> None:
        self._request.Wait(self._status)

    def test(self) -> bool:
        return self._request.Test(self._status)


class Together:
    """Several works as one."""

    def __init__(self, works: Sequence[Work]) -> None:
        self._works = works

    def wait(self) -> None:
        for work in self._works:
            work.wait()

    def test(self) -> bool:
        return all([work.is_completed() for work in self._works])


class Done:
    """What was complete before anybody could wait for it."""

    def wait(self) -> None:
        pass

    def test(self) -> bool:
        return True


_OUTSTANDING: set[Work] = set()
"""Works that nobody has waited for; their memory is in use."""


class Work(TorchWork):
    """A collective that has been started: PyTorch's handle of it.

    It keeps the tensors alive. Do not touch them until it is complete, and complete it on every
    rank. It has no timeout, as MPI has none.

    Examples
    --------
    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send, recv = torch.full((comm.size,), comm.rank), torch.empty(comm.size, dtype=torch.int64)
    >>> work = rondo.torch.all_to_all_single(recv, send, group=comm, async_op=True)
    >>> total = sum(range(1000))  # some computation
    >>> work.wait()
    True
    >>> recv.tolist() == list(range(comm.size))
    True
    """

    def __init__(
        self,
        started: Started,
        tensors: Sequence[torch.Tensor],
        finish: Callable[[], None] = lambda: None,
        comm: MPI.Comm | None = None,
    ) -> None:
        super().__init__()
        self._started = started
        self._comm = comm
        self.tensors = list(tensors)
        self._finish: Callable[[], None] | None = finish
        _OUTSTANDING.add(self)

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until it is complete.

        Parameters
        ----------
        timeout
            Ignored: MPI has none.

        Returns
        -------
        bool
            True.

        Raises
        ------
        ValueError
            If another rank sent something else than this one expected.
        Error
            If the exchange has failed, or the arguments of another rank were wrong.
        """
        _OUTSTANDING.discard(self)
        self._started.wait()
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return True

    def is_completed(self) -> bool:
        """Let exchanges make progress, and say whether this one is complete.

        Returns
        -------
        bool
            Whether it is complete. The tensors are there after a wait().
        """
        return self._started.test()

    def result(self) -> list[torch.Tensor]:
        """Wait, and return the tensors that were received in.

        Returns
        -------
        list
            The tensors.
        """
        self.wait()
        return self.tensors

    def get_future(self) -> torch.futures.Future[list[torch.Tensor]]:
        """Wait, and return the result as a future, which is complete.

        Returns
        -------
        Future
            The future of the tensors.
        """
        future: torch.futures.Future[list[torch.Tensor]] = torch.futures.Future()
        future.set_result(self.result())
        return future

    def source_rank(self) -> int:
        """Say from which rank the message has come, after a wait for a recv.

        Returns
        -------
        int
            The rank in the group.
        """
        assert isinstance(self._started, OfMpi)
        return self._started.source

    _source_rank = source_rank

    @classmethod
    def complete_all_on(cls, comm: MPI.Comm) -> None:
        """Wait until nothing is under way on a communicator. Works may be waited for again.

        Parameters
        ----------
        comm
            The communicator, which will be freed: MPI libraries may go on with what is under way,
            and must not find it gone.
        """
        for work in [one for one in _OUTSTANDING if one._comm is comm]:
            work._started.wait()
