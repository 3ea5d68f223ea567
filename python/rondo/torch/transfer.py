"""How the blocks of tensors travel: a dynamic exchange into memory that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from rondo._library import MPI, _mpi, handle_of
from rondo.requests import Request
from rondo.torch import blocks
from rondo.torch.blocks import KINDS, Blocks, Splits, deliver

_MOST = 2**31 - 1  # that an int can count


class Transfer:
    """An exchange of this rank. What arrives is compared with what was expected."""

    def __init__(self, comm: MPI.Comm, sent: Blocks, received: Blocks) -> None:
        self.comm = comm
        self._sent = sent
        self._received = received
        self._unit = _unit(sent, max(sent.nbytes, received.nbytes))
        self._outgoing = sent.side("send", self._unit)
        self._incoming = received.side("receive", self._unit)
        self._started: _mpi.DynamicRequest | None = None

    def start(self) -> Request:
        handle = handle_of(self.comm, MPI.Comm)
        self._started = _mpi.ialltoallv_dynamic_into(handle, self._outgoing, self._incoming)
        return Request(self._started, self)

    def finish(self, tensors: Sequence[torch.Tensor]) -> None:
        """When it is complete: what has arrived is for these tensors."""
        assert self._started is not None
        unexpected = self._started.unexpected(self._incoming)
        if unexpected is not None:
            nbytes = [count * self._unit for count in unexpected]
            _refuse(self._received, self.comm.Get_rank(), nbytes)
        deliver(self._received, tensors)


class Plain(NamedTuple):
    """The arguments of an exchange of rows that must not be copied."""

    sizes: Splits
    rows: int
    row_bytes: int
    address: int
    arriving: Splits
    rows_to: int
    row_bytes_to: int
    address_to: int


def plain_rows(
    output: torch.Tensor, input: torch.Tensor, arriving: Splits, sizes: Splits
) -> Plain | None:
    """The arguments if nothing must be copied or refused: the general way takes twice as long."""
    for one in (output, input):
        if type(one) is not torch.Tensor or one.is_nested or one.layout is not torch.strided:
            return None
        if not (one.is_cpu and one.is_contiguous() and one.shape) or one.is_neg() or one.is_conj():
            return None
    if input.dtype is not output.dtype or input.is_quantized:
        return None
    rows, rows_to = input.size(0), output.size(0)
    row_bytes, row_bytes_to = input.nbytes // (rows or 1), output.nbytes // (rows_to or 1)
    sent = sizes, rows, row_bytes, input.data_ptr()
    return Plain(*sent, arriving, rows_to, row_bytes_to, output.data_ptr())


def exchange_plain(comm: MPI.Comm, plain: Plain, output: torch.Tensor) -> bool:
    """Exchange, unless the sizes must be read by Python; say whether that was so."""
    came = _mpi.exchange_rows(comm, *plain)
    if came:
        _refuse(blocks.rows(output, plain.arriving, comm.size, "output"), comm.rank, came)
    return came is not None


def arrive(comm: MPI.Comm, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
    """What arrives, in a new flat tensor of the dtype that is sent, and the rows from each rank."""
    unit, here = _unit(sent, sent.nbytes), comm.Get_rank()
    handle, outgoing = handle_of(comm, MPI.Comm), sent.side("send", unit)
    started = _mpi.ialltoallv_dynamic(handle, outgoing, KINDS[unit], unit)
    Request(started, sent, outgoing).wait()
    data, counts, _ = started.release()
    arrived = enumerate(counts.tolist())
    sizes = [_size_of(rank, here, count * unit, sent) for rank, count in arrived]
    return torch.from_numpy(data).view(sent.memory.dtype), sizes


def _refuse(received: Blocks, here: int, nbytes: list[int]) -> None:
    """Other bytes have come to this rank than it expects."""
    due = [size * received.row_bytes for size in received.sizes]
    rank = next(q for q, expected in enumerate(due) if nbytes[q] != expected)
    size = _size_of(rank, here, nbytes[rank], received)
    raise ValueError(
        f"rank {rank} sends {size} {received.unit} to rank {here}, which expects "
        f"{received.sizes[rank]} of it"
    )


def take_part(comm: MPI.Comm) -> None:
    """Take part with arguments that are wrong, so that all ranks get an error that names this."""
    handle, counts = handle_of(comm, MPI.Comm), [-1] * comm.Get_size()
    wrong = _mpi.Side.packed("send", counts, 1, KINDS[1], 0, 0)
    Request(_mpi.ialltoallv_dynamic_into(handle, wrong, wrong), wrong).wait()


def _unit(sent: Blocks, most: int) -> int:
    """How many bytes the counts of an exchange count, if no rank has more than `most` of them."""
    return 1 if most <= _MOST else min(sent.memory.element_size(), 8)


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
