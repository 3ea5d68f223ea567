"""Groups whose ranks meet at a store of torch.distributed."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from typing import Any

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
    """By gloo, whose messages must be waited for: each by a thread."""

    def __init__(self, gloo: Any) -> None:
        self._gloo = gloo
        self._threads = ThreadPoolExecutor(_FIRST_TAG, "rondo.torch")  # without a limit

    def send(self, data: memoryview, destination: int, tag: int) -> Future[Any]:
        return self._waited_for(self._gloo.send([_tensor(data)], destination, _FIRST_TAG + tag))

    def receive(self, data: memoryview, source: int, tag: int) -> Future[Any]:
        return self._waited_for(self._gloo.recv([_tensor(data)], source, _FIRST_TAG + tag))

    def test(self, message: Future[Any]) -> bool:
        if not message.done():
            return False
        message.result()
        return True

    def cancel(self, message: Future[Any]) -> None:
        message.cancel()

    def _waited_for(self, work: Any) -> Future[Any]:
        return self._threads.submit(work.wait)


def _tensor(data: memoryview) -> torch.Tensor:
    return torch.frombuffer(data, dtype=torch.uint8)
