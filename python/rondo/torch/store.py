"""Groups whose ranks meet at a store of torch.distributed."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta
from itertools import count
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import Any
from weakref import finalize

import torch

import rondo

_FIRST_TAG = 2**30
"""Those below are for the program's own messages."""


def group_at(store: Any, rank: int, size: int, gloo: Any, timeout: timedelta) -> rondo.Group:
    """A group of all ranks that use this store. Collective. gloo's is for messages among nodes."""
    rounds = count()

    def allgather(own: bytes) -> list[bytes]:
        number = next(rounds)
        store.set(f"{number} {rank}", own)
        keys = [f"{number} {other}" for other in range(size)]
        store.wait(keys, timeout)
        return [store.get(key) for key in keys]

    messages = _Messages(gloo)
    seconds = timeout.total_seconds()
    return rondo.Group(rank, size, allgather=allgather, messages=messages, timeout=seconds)


class _Messages:
    """By gloo, whose messages must be waited for: each by a thread.

    Python's end does not wait for other ranks. It gives up what is under way: threads that come
    back from gloo afterwards would end the process with a signal.
    """

    def __init__(self, gloo: Any) -> None:
        self._gloo = gloo
        self._process = os.getpid()
        self._queue: SimpleQueue[_Message | None] = SimpleQueue()
        self._idle = Semaphore(0)  # for each thread without a message
        self._underway: set[_Message] = set()
        finalize(self, _end, self._process, self._underway, self._queue)

    def send(self, data: memoryview, destination: int, tag: int) -> _Message:
        return self._waited_for(self._gloo.send([_tensor(data)], destination, _FIRST_TAG + tag))

    def receive(self, data: memoryview, source: int, tag: int) -> _Message:
        return self._waited_for(self._gloo.recv([_tensor(data)], source, _FIRST_TAG + tag))

    def test(self, message: _Message) -> bool:
        if message.error is not None:
            raise message.error
        return message.is_over.is_set()

    def cancel(self, message: _Message) -> None:
        if os.getpid() == self._process:
            message.give_up()

    def _waited_for(self, work: Any) -> _Message:
        message = _Message(work)
        self._underway.add(message)
        self._queue.put(message)
        if not self._idle.acquire(blocking=False):
            shared = self._queue, self._underway, self._idle
            Thread(target=_wait_for, args=shared, name="rondo.torch", daemon=True).start()
        return message


class _Message:
    def __init__(self, work: Any) -> None:
        self.is_over = Event()
        self.error: Exception | None = None
        self._work = work

    def wait(self) -> None:
        try:
            self._work.wait()
        except Exception as error:
            self.error = error
        self.is_over.set()

    def give_up(self) -> None:
        """Leave its memory alone. gloo does so after a wait in vain: it closes its connections."""
        if not self.is_over.is_set():
            with suppress(RuntimeError):
                self._work.wait(timedelta(milliseconds=1))
            self.is_over.wait()


def _wait_for(
    queue: SimpleQueue[_Message | None], underway: set[_Message], idle: Semaphore
) -> None:
    while (message := queue.get()) is not None:
        message.wait()
        underway.discard(message)
        del message
        idle.release()
    queue.put(None)  # for the next thread


def _end(process: int, underway: set[_Message], queue: SimpleQueue[_Message | None]) -> None:
    if os.getpid() == process:
        for message in underway.copy():
            message.give_up()
    queue.put(None)


def _tensor(data: memoryview) -> torch.Tensor:
    return torch.frombuffer(data, dtype=torch.uint8)
