"""What an exchange returns that completes later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from threading import Lock
from time import monotonic, sleep
from typing import Any, Callable, ClassVar

import torch
from torch.distributed.distributed_c10d import Work as TorchWork

from rondo.torch.ranks import Ranks, Started

__all__ = ["Work"]


_LONG = 1e-3  # seconds
_SLEEP = 5e-5


def _pause(begin: float) -> None:
    """Let others run in a wait that began then, and sleep if it is long."""
    sleep(0 if monotonic() - begin < _LONG else _SLEEP)


class Underway:
    """An exchange until it is over: its tensors have their values, or it has failed."""

    outstanding: ClassVar[set[Underway]] = set()
    """What is not over."""

    def __init__(self, started: Started, finish: Callable[[], None], ranks: Ranks) -> None:
        self.ranks = ranks
        self.is_over = False
        self.is_late = False  # somebody waited, and gave up
        self.error: Exception | None = None
        self._started = started
        self._finish: Callable[[], None] | None = finish
        self._claim = Lock()  # of the thread that asks: no two may complete one request
        self.outstanding.add(self)

    def test(self) -> bool:
        """Say whether it is over, after some progress."""
        if not self.is_over and self._claim.acquire(blocking=False):
            self._ask(self._started.test)
        return self.is_over

    def wait(self) -> None:
        """Wait until it is over."""
        begin = monotonic()
        while not self.is_over:
            if self._claim.acquire(blocking=False):
                self._ask(self._started.wait)
            else:
                _pause(begin)

    def wait_for(self, seconds: float) -> bool:
        """Wait no longer than this, and say whether it is over."""
        begin = monotonic()
        while not self.test():
            if monotonic() > begin + seconds:
                return False
            _pause(begin)
        return True

    def end(self) -> bool:
        """Wait until it is over, unless somebody has given up; say whether it is over."""
        if not self.is_late:
            self.wait()
        return self.test()

    @classmethod
    def look(cls) -> None:
        """Let everything that is outstanding make progress."""
        for one in cls.outstanding.copy():  # in one step: other threads add to it
            one.test()

    @classmethod
    def complete_all_of(cls, ranks: Ranks) -> int:
        """Wait for what these ranks have started, and say how much is not over.

        That is so if somebody has given up. The works may be waited for again.
        """
        return sum(not one.end() for one in cls.outstanding.copy() if one.ranks is ranks)

    def _ask(self, question: Callable[[], object]) -> None:
        """With the claim, which it gives back."""
        try:
            if self.is_over or question() is False:
                return
            assert self._finish is not None
            self._finish()
            self._end()
        except Exception as error:
            self.error = error
            self._end()
        finally:
            self._claim.release()

    def _end(self) -> None:
        self._finish = None
        self.is_over = True
        self.outstanding.discard(self)


class Work(TorchWork):
    """An exchange that has been started: PyTorch's handle of it.

    It keeps the tensors alive. Do not touch them until it is complete. It completes also if nobody
    waits for it, at the latest when its group is destroyed.

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
        finish: Callable[[Sequence[torch.Tensor]], None],
        ranks: Ranks,
    ) -> None:
        super().__init__()
        self.tensors = tuple(tensors)  # as they are now: the caller may change its list
        self._underway = Underway(started, partial(finish, self.tensors), ranks)
        self._underway.test()  # it may have been over before anything knew of it

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until it is complete.

        Parameters
        ----------
        timeout
            How long to wait; for ever if it is None or zero.

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
        RuntimeError
            If it is not complete in time. It goes on, and may be waited for again.
        """
        if timeout is None or timeout <= timedelta(0):
            self._underway.wait()
        elif not self._underway.wait_for(timeout.total_seconds()):
            self._underway.is_late = True
            raise RuntimeError(
                f"not complete after {timeout.total_seconds():g} s: another rank has not taken "
                "part yet"
            )
        if self._underway.error is not None:
            raise self._underway.error
        return True

    def is_completed(self) -> bool:
        """Let exchanges make progress, and say whether this one is complete.

        Returns
        -------
        bool
            Whether the tensors have their values, or it has failed: then wait() raises the error.
        """
        return self._underway.test()

    def is_success(self) -> bool:
        """Say whether it has not failed so far.

        Returns
        -------
        bool
            False after a failure.
        """
        return self._underway.error is None

    def exception(self) -> Exception | None:
        """Return the error with which it has failed.

        Returns
        -------
        Exception
            The error, or None.
        """
        return self._underway.error

    def result(self) -> list[torch.Tensor]:
        """Wait, and return the tensors that were received in.

        Returns
        -------
        list
            The tensors.
        """
        self.wait()
        return list(self.tensors)

    def get_future(self) -> torch.futures.Future[list[torch.Tensor]]:
        """Wait, and return the result as a future, which is complete.

        Returns
        -------
        Future
            The future of the tensors, or of the error.
        """
        future: torch.futures.Future[list[torch.Tensor]] = torch.futures.Future()
        self._underway.wait()
        error: Any = self._underway.error  # of which PyTorch's own types know nothing
        if error is None:
            future.set_result(list(self.tensors))
        else:
            future.set_exception(error)
        return future
