"""What exchanges of a GPU's memory need of PyTorch."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch

from rondo.torch import nccl


class Cuda:
    """PyTorch's functions for CUDA. Without a GPU, the tests put something else in their place."""

    def has(self, tensor: object) -> bool:
        """Whether it is a tensor in the memory of a GPU."""
        return isinstance(tensor, torch.Tensor) and tensor.is_cuda

    def load(self) -> nccl.Library:
        """The library that exchanges this memory; an OSError if there is none."""
        return nccl.load()

    def on(self, device: torch.device) -> AbstractContextManager[Any]:
        """Makes it the current device."""
        return torch.cuda.device(device.index)  # less work than with the device itself

    def stream(self, device: torch.device) -> int:
        """The handle of its current stream."""
        return torch._C._cuda_getCurrentRawStream(device.index)  # as compiled graphs ask for it

    def is_capturing(self) -> bool:
        """Whether the current stream is captured into a graph."""
        return torch.cuda.is_current_stream_capturing()

    def follow_stream(self, other: Any, device: torch.device) -> Any:
        """Let its current stream wait for another one, if that is not None. Returns the current."""
        current = torch.cuda.current_stream(device)
        if other is not None:
            current.wait_stream(other)
        return current

    def require_working(self, device: torch.device) -> None:
        """Raises the error after which it does nothing any more, if there was one. No wait."""
        torch.cuda.current_stream(device).query()

    def mark(self, device: torch.device) -> Any:
        """An event in its current stream."""
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        event.record(torch.cuda.current_stream(device))
        return event

    def follow(self, event: Any, device: torch.device) -> None:
        """Let its current stream wait for an event. The host does not wait."""
        event.wait(torch.cuda.current_stream(device))


CUDA: Cuda = Cuda()
