"""How the blocks of tensors travel: a dynamic exchange into memory that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
import torch

from rondo import _specs
from rondo._library import MPI, _mpi
from rondo.requests import DynamicRequest
from rondo.torch.blocks import Blocks, deliver

_MOST = 2**31 - 1  # that an int can count
_WIDE = {2: MPI.UINT16_T, 4: MPI.UINT32_T, 8: MPI.UINT64_T}


class Transfer:
    """An exchange of this rank. What arrives is compared with what was expected."""

    def __init__(
        self, comm: MPI.Comm, sent: Blocks, received: Blocks, tensors: Sequence[torch.Tensor]
    ) -> None:
        self._comm = comm
        self._sent = sent
        self._received = received
        self._tensors = tensors
        self._request: DynamicRequest | None = None
        self._given, self._unit = _given(comm, sent, received.nbytes)

    def call(self) -> None:
        _, counts, _ = self._run(_mpi.alltoallv_dynamic)
        self._compare(counts)

    def start(self) -> DynamicRequest:
        self._request = DynamicRequest(self._run(_mpi.ialltoallv_dynamic), self._given, self)
        return self._request

    def finish(self) -> None:
        """After a start, when it is complete."""
        assert self._request is not None
        self._compare(self._request.result.counts.tolist())

    def _run(self, function: Callable[..., Any]) -> Any:
        memory = self._received.memory
        return self._given.run(function, self._unit, memory.data_ptr(), self._received.nbytes)

    def _compare(self, counts: list[int]) -> None:
        row = self._received.row_bytes
        expected = [size * row // self._unit for size in self._received.sizes]
        if counts != expected:
            rank = next(q for q, count in enumerate(counts) if count != expected[q])
            self._refuse(rank, counts[rank] * self._unit)
        deliver(self._received, self._tensors)

    def _refuse(self, rank: int, nbytes: int) -> None:
        received, here = self._received, self._comm.Get_rank()
        size = _size_of(rank, here, nbytes, received)
        raise ValueError(
            f"rank {rank} sends {size} {received.unit} to rank {here}, which expects "
            f"{received.sizes[rank]} of it"
        )


def arrive(comm: MPI.Comm, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
    """What arrives, in a new flat tensor of the dtype that is sent, and the rows from each rank."""
    given, unit = _given(comm, sent, 0)
    data, counts, _ = given.run(_mpi.alltoallv_dynamic, unit)
    here = comm.Get_rank()
    sizes = [_size_of(rank, here, count * unit, sent) for rank, count in enumerate(counts)]
    return torch.from_numpy(data).view(sent.memory.dtype), sizes


def take_part(comm: MPI.Comm, is_start: bool) -> None:
    """Take part with arguments that are wrong, so that all ranks get an error that names this."""
    counts = np.full(comm.Get_size(), -1)
    given = _specs.dynamic_blocks(comm, _specs.Memory(0, 0, None), counts, MPI.BYTE)
    if is_start:
        DynamicRequest(given.run(_mpi.ialltoallv_dynamic, 1), given).wait()
    else:
        given.run(_mpi.alltoallv_dynamic, 1)


def _given(comm: MPI.Comm, sent: Blocks, most_received: int) -> tuple[_specs.Dynamic, int]:
    """The arguments of the exchange, and how many bytes its counts count."""
    item = sent.memory.element_size()
    unit = 1 if max(sent.nbytes, most_received) <= _MOST else min(item, 8)
    memory = _specs.Memory(sent.memory.data_ptr(), sent.nbytes, sent.memory)
    counts = np.array(sent.sizes, np.int64) * (sent.row_bytes // unit)
    return _specs.dynamic_blocks(comm, memory, counts, _WIDE.get(unit, MPI.BYTE)), unit


def _size_of(rank: int, here: int, nbytes: int, blocks: Blocks) -> int:
    """How many rows or elements of these blocks the bytes from a rank are."""
    if nbytes == 0:
        return 0
    if blocks.row == 0 or nbytes % blocks.row_bytes != 0:
        raise ValueError(
            f"rank {rank} sends {nbytes} bytes to rank {here}, which has {blocks.row_bytes} bytes "
            f"in each of its {blocks.unit}: dtypes and all dimensions but the first must be the "
            "same on all ranks"
        )
    return nbytes // blocks.row_bytes
