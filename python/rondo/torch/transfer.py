"""How the blocks of tensors travel: an exchange into memory that is there, and what it brings."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from rondo.torch import blocks
from rondo.torch.blocks import Blocks, Splits, deliver
from rondo.torch.ranks import Ranks, Rows, Started


class Transfer:
    """An exchange of this rank. What arrives is compared with what was expected."""

    def __init__(self, ranks: Ranks, sent: Blocks, received: Blocks) -> None:
        self.ranks = ranks
        self._sent = sent
        self._received = received
        self._started: Started | None = None

    def start(self) -> Started:
        self._started = self.ranks.start(self._sent, self._received)
        return self._started

    def finish(self, tensors: Sequence[torch.Tensor]) -> None:
        """When it is complete: what has arrived is for these tensors."""
        assert self._started is not None
        came = self._started.came()
        if came is not None:
            _refuse(self._received, self.ranks.rank, came)
        deliver(self._received, tensors)


def plain_rows(
    device: torch.device, output: torch.Tensor, input: torch.Tensor, arriving: Splits, sizes: Splits
) -> Rows | None:
    """The arguments if nothing must be copied or refused: the general way takes twice as long."""
    for one in (output, input):
        if type(one) is not torch.Tensor or one.is_nested or one.layout is not torch.strided:
            return None
        if one.device != device or not (one.is_contiguous() and one.shape):
            return None
        if one.is_neg() or one.is_conj():
            return None
    if input.dtype is not output.dtype or input.is_quantized:
        return None
    rows, rows_to = input.size(0), output.size(0)
    row_bytes, row_bytes_to = input.nbytes // (rows or 1), output.nbytes // (rows_to or 1)
    sent = sizes, rows, row_bytes, input.data_ptr()
    return Rows(*sent, arriving, rows_to, row_bytes_to, output.data_ptr())


def exchange_plain(ranks: Ranks, plain: Rows, output: torch.Tensor) -> bool:
    """Exchange, unless the sizes must be read by Python; say whether that was so."""
    came = ranks.exchange_rows(plain)
    if came:
        _refuse(blocks.rows(output, plain.arriving, ranks, "output"), ranks.rank, came)
    return came is not None


def arrive(ranks: Ranks, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
    """What arrives, in a new flat tensor of the dtype that is sent, and the rows from each rank."""
    data, came = ranks.arrive(sent)
    sizes = [_size_of(rank, ranks.rank, nbytes, sent) for rank, nbytes in enumerate(came)]
    return data.view(sent.memory.dtype), sizes


def _refuse(received: Blocks, here: int, nbytes: list[int]) -> None:
    """Other bytes have come to this rank than it expects."""
    due = [size * received.row_bytes for size in received.sizes]
    rank = next(q for q, expected in enumerate(due) if nbytes[q] != expected)
    size = _size_of(rank, here, nbytes[rank], received)
    raise ValueError(
        f"rank {rank} sends {size} {received.unit} to rank {here}, which expects "
        f"{received.sizes[rank]} of it"
    )


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
