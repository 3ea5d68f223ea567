"""What an exchange of a GPU's memory returns with async_op."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import torch
from torch.distributed.distributed_c10d import Work as TorchWork

from rondo.torch import cuda
from rondo.torch.work import Work


class OnStream(Work):
    """An exchange in the stream that was the current one when it was called."""

    def __init__(self, tensors: Sequence[torch.Tensor], device: torch.device) -> None:
        TorchWork.__init__(self)
        self.tensors = tuple(tensors)
        self._device = device
        self._end = cuda.CUDA.mark(device)

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Let the current stream wait. The host does not, so there is no timeout."""
        cuda.CUDA.follow(self._end, self._device)
        return True

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return bool(self._end.query())

    def is_success(self) -> bool:
        return True

    def exception(self) -> Exception | None:
        return None

    def get_future(self) -> torch.futures.Future[list[torch.Tensor]]:
        """A future of the tensors, which streams that use its value wait for."""
        self.wait()
        devices: list[Any] = list({one.device for one in self.tensors if one.is_cuda})
        future: torch.futures.Future[list[torch.Tensor]] = torch.futures.Future(devices=devices)
        future.set_result(list(self.tensors))
        return future
