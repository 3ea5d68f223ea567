"""What an exchange returns that completes later."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from datetime import timedelta
from functools import cache, partial
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any, Callable

import torch
from torch.distributed.distributed_c10d import Work as TorchWork

from rondo._library import MPI, _mpi
from rondo.requests import Request

__all__ = ["Work"]


class Underway:
    """An exchange until it is over: its tensors have their values, or it has failed."""

    def __init__(self, started: Request, finish: Callable[[], None], comm: MPI.Comm) -> None:
        self.comm = comm
        self.is_over = False
        self.is_late = False  # somebody waited, and gave up
        self.error: Exception | None = None
        self._started = started
        self._finish: Callable[[], None] | None = finish
        self._claim = Lock()  # of the thread that asks: no two may complete one request
        _OUTSTANDING.add(self)

    def test(self) -> bool:
        """Say whether it is over, after some progress."""
        if not self.is_over and self._claim.acquire(blocking=False):
            self._ask(self._started.test)
        return self.is_over

    def wait(self) -> None:
        """Wait until it is over."""
        while not self.is_over:
            if self._claim.acquire(blocking=False):
                self._ask(self._started.wait)
            else:
                sleep(0)

    def wait_for(self, seconds: float) -> bool:
        """Wait no longer than this, and say whether it is over."""
        end = monotonic() + seconds
        while not self.test():
            if monotonic() > end:
                return False
            sleep(0)
        return True

    def end(self) -> bool:
        """Wait until it is over, unless somebody has given up; say whether it is over."""
        if not self.is_late:
            self.wait()
        return self.test()

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
        _OUTSTANDING.discard(self)


_OUTSTANDING: set[Underway] = set()
"""What is not over; its memory is in use, also in MPI_Finalize."""

_mpi.keep(_OUTSTANDING)


class Progress:
    """Lets exchanges go on while the program does something else, such as to wait for gloo.

    By a thread, which needs MPI.THREAD_MULTIPLE, the default of mpi4py. Without it they go on in
    calls of Rondo only. What completes soon is never looked at.
    """

    _PAUSE = 5e-4  # seconds between two looks
    _IDLE = 200  # looks in vain until the thread sleeps

    def __init__(self) -> None:
        self._wanted = Event()
        self._is_over = False
        self._thread: Thread | None = None
        if MPI.Query_thread() >= MPI.THREAD_MULTIPLE:
            self._thread = Thread(target=self._run, name="rondo.torch", daemon=True)
            self._thread.start()
            atexit.register(self._end)  # before MPI ends

    def begin(self) -> None:
        """Something is outstanding."""
        if self._thread is None:
            self._look()
        elif not self._wanted.is_set():
            self._wanted.set()

    def _run(self) -> None:
        while self._wanted.wait() and not self._is_over:
            self._wanted.clear()
            in_vain = 0
            while in_vain < self._IDLE and not self._is_over:
                sleep(self._PAUSE)
                in_vain = 0 if _OUTSTANDING else in_vain + 1
                self._look()

    def _look(self) -> None:
        if not MPI.Is_finalized():
            for one in _OUTSTANDING.copy():  # in one step: other threads add to it
                one.test()

    def _end(self) -> None:
        self._is_over = True
        self._wanted.set()
        assert self._thread is not None
        self._thread.join()


_progress = cache(Progress)
"""Of this process, from its first work on."""


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
        started: Request,
        tensors: Sequence[torch.Tensor],
        finish: Callable[[Sequence[torch.Tensor]], None],
        comm: MPI.Comm,
    ) -> None:
        super().__init__()
        self.tensors = tuple(tensors)  # as they are now: the caller may change its list
        self._underway = Underway(started, partial(finish, self.tensors), comm)
        _progress().begin()

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

    @classmethod
    def complete_all_on(cls, comm: MPI.Comm) -> int:
        """Complete what is under way on a communicator. Works may be waited for again.

        Parameters
        ----------
        comm
            The communicator, which will be freed: MPI libraries may go on with what is under way,
            and must not find it gone.

        Returns
        -------
        int
            How many are still under way, because others have not taken part in time.
        """
        return sum(not one.end() for one in _OUTSTANDING.copy() if one.comm is comm)
