"""What exchanges of tensors need of the ranks that take part: by MPI, without it, or on GPUs."""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple, Protocol

import torch
from torch.distributed.constants import default_pg_timeout

from rondo.torch import cuda
from rondo.torch.blocks import Blocks, Splits


class Rows(NamedTuple):
    """The arguments of an exchange of rows that must not be copied."""

    sizes: Splits
    rows: int
    row_bytes: int
    address: int
    arriving: Splits
    rows_to: int
    row_bytes_to: int
    address_to: int


class Started(Protocol):
    """An exchange until it is over. Other errors than a wrong length end it."""

    def test(self) -> bool:
        """Say whether it is over, after some progress."""

    def wait(self) -> object:
        """Wait until it is over."""

    def came(self) -> list[int] | None:
        """The bytes that came from each rank, when it is over; nothing if they were expected."""


CPU = torch.device("cpu")


class OnHost:
    """Ranks that exchange the memory of the host."""

    device = CPU
    is_on_gpu = False

    def __init__(self) -> None:
        self.of_gpu: Ranks | None = None
        self.patience = default_pg_timeout.total_seconds()

    def meet_to_end(self) -> None:
        """Raises an error if not all ranks come to end what NCCL would wait for without limit."""

    def free_of_gpu(self) -> None:
        """End what was set up to exchange the memory of GPUs. Collective if there is any.

        It stays while an exception is handled, as in a finally clause: other ranks may never come.
        """
        of_gpu, self.of_gpu = self.of_gpu, None
        if of_gpu is None or not of_gpu.is_on_gpu or sys.exc_info()[0] is not None:
            return
        try:
            cuda.CUDA.require_working(of_gpu.device)
            self.meet_to_end()
            of_gpu.free()
        except RuntimeError as error:  # what else there is to free is freed
            warnings.warn(
                "a group has exchanged tensors of GPUs and ends with an error, so its communicator "
                f"of NCCL and its memory of GPUs may stay until this process ends: {error}",
                stacklevel=4,
            )


class Ranks(Protocol):
    """The ranks of an exchange, of which this process is one."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def device(self) -> torch.device:
        """Where the memory is that they exchange."""

    @property
    def is_on_gpu(self) -> bool:
        """Whether exchanges are work of a stream, for which the host does not wait."""

    of_gpu: Ranks | None
    """These ranks as they exchange the memory of GPUs; None until they first do."""

    patience: float
    """For how many seconds a GPU waits for other ranks: the timeout of the group, if it has one."""

    def exchange_rows(self, rows: Rows) -> list[int] | None:
        """Exchange: nothing if Python must read the sizes, else `came`, empty if as expected."""

    def start(self, sent: Blocks, received: Blocks) -> Started:
        """Start to exchange. The memory must live until it is over."""

    def arrive(self, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
        """Exchange. Returns the bytes that arrive, and how many come from each rank."""

    def take_part(self) -> None:
        """Take part with wrong arguments, so that all ranks get an error that names this one."""

    def free(self) -> int:
        """End them when what was started is over. Returns how much is not: then they stay."""
