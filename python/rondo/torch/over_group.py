"""Exchanges of tensors without MPI, on a rondo.Group."""

from __future__ import annotations

import os
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Callable

import torch

from rondo.group import Group
from rondo.torch.blocks import Blocks
from rondo.torch.ranks import OnHost, Rows
from rondo.torch.work import Underway


class OverGroup(OnHost):
    """The ranks of a group. A thread carries out what is started, one exchange after the other."""

    def __init__(self, group: Group) -> None:
        super().__init__()
        self.group = group
        self.rank, self.size = group.rank, group.size
        if group._timeout is not None:
            self.patience = group._timeout
        self._own = group._group
        self._process = os.getpid()
        self._queue: SimpleQueue[_Started | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._last = _Started(_nothing, ())
        self._last.run()

    def exchange_rows(self, rows: Rows) -> list[int] | None:
        came: list[int] | None = self._run(self._own.exchange_rows, *rows)
        return came

    def start(self, sent: Blocks, received: Blocks) -> _Started:
        rows = *_rows_of(sent), *_rows_of(received)
        return self._start(_Started(self._own.exchange_rows, rows, sent, received))

    def arrive(self, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
        memory = sent.memory.detach().reshape(-1).view(torch.uint8).numpy()
        counts = [size * sent.row_bytes for size in sent.sizes]
        data, lengths, _ = self._run(self._own.alltoallv_dynamic, [memory, counts])
        return torch.from_numpy(data), lengths.tolist()

    def take_part(self) -> None:
        self._run(self._own.take_part)

    def free(self) -> int:
        left = self.end()
        if left == 0:
            self.group.free()
        return left

    def end(self) -> int:
        """End all but the group itself, when what was started is over. Returns how much is not."""
        if os.getpid() != self._process:  # a child was forked: all of it is its parent's
            return 0
        left = Underway.complete_all_of(self)
        if left == 0:
            thread = self.leave()
            if thread is not None:
                thread.join()
            self.free_of_gpu()
        return left

    def leave(self) -> Thread | None:
        """Let the thread end after what was started. Returns it, if there is one."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
        return thread

    def meet_to_end(self) -> None:
        """Twice: a rank that is late still finds one that has given up, but only the first time."""
        for _ in range(2):
            self.arrive(Blocks(torch.empty(0, dtype=torch.uint8), [0] * self.size, "bytes", 1))

    def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Now, or after what was started before."""
        if self._last.is_over():
            return function(*arguments)
        started = self._start(_Started(function, arguments))
        started.wait()
        return started.result

    def _start(self, started: _Started) -> _Started:
        if self._thread is None:  # a daemon: Python's end does not wait for other ranks
            self._thread = Thread(target=self._carry_out, name="rondo.torch", daemon=True)
            self._thread.start()
        self._last = started
        self._queue.put(started)
        return started

    def _carry_out(self) -> None:
        while (started := self._queue.get()) is not None:
            started.run()
            Underway.look()  # the program may not wait for it


class _Started:
    """An exchange that the thread carries out."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any], *alive: Any) -> None:
        """`alive` is in use until it is over."""
        self._call: Any = (function, arguments, alive)
        self._over = Event()
        self.result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        function, arguments, _ = self._call
        try:
            self.result = function(*arguments)
        except BaseException as error:
            self._error = error
        self._call = None
        self._over.set()

    def is_over(self) -> bool:
        return self._over.is_set()

    def test(self) -> bool:
        return self._over.is_set() and self.wait()

    def wait(self) -> bool:
        self._over.wait()
        if self._error is not None:
            raise self._error
        return True

    def came(self) -> list[int] | None:
        return self.result or None


def _nothing() -> None:
    pass


def _rows_of(blocks: Blocks) -> tuple[list[int], int, int, int]:
    return blocks.sizes, sum(blocks.sizes), blocks.row_bytes, blocks.memory.data_ptr()
