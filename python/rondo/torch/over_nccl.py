"""Exchanges of tensors in the memory of GPUs, by librondo_nccl."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from ctypes import c_void_p
from math import prod
from typing import Any

import torch

from rondo.torch import cuda
from rondo.torch.blocks import Blocks, split_sizes
from rondo.torch.nccl import Library, NcclError
from rondo.torch.ranks import Ranks, Rows

_LEAST_PLAN = 1 << 16  # bytes of a block


class OverNccl:
    """The ranks of a group, each with one GPU.

    An exchange is work of the current stream. The host waits neither for it nor for other ranks, so
    a rank is not told of wrong arguments on another.
    """

    is_on_gpu = True

    def __init__(self, library: Library, comm: int, host: Ranks, device: torch.device) -> None:
        """Take over NCCL's communicator. Collective."""
        self.rank, self.size, self.device = host.rank, host.size, device
        self.of_gpu: Ranks | None = self
        self.patience = host.patience
        self._library, self._comm = library, comm
        self._grouped = library.plan(comm, "nccl_grouped")
        self._direct: dict[int, c_void_p] = {}  # by the longest block
        self.is_captured = False  # an exchange, in a graph
        self._is_ended = False
        self._last_stream: tuple[int, Any] = (0, None)  # of the last exchange by a plan of `direct`

    def exchange_rows(self, rows: Rows) -> list[int] | None:
        sizes = split_sizes(rows.rows, rows.sizes, self.size, "input")
        sizes_to = split_sizes(rows.rows_to, rows.arriving, self.size, "output")
        sent = [size * rows.row_bytes for size in sizes]
        arriving = [size * rows.row_bytes_to for size in sizes_to]
        self._exchange(rows.address, sent, rows.address_to, arriving)
        return []

    def start(self, sent: Blocks, received: Blocks) -> Enqueued:
        addresses = sent.memory.data_ptr(), received.memory.data_ptr()
        self._exchange(addresses[0], sent.lengths, addresses[1], received.lengths)
        return Enqueued()

    def arrive(self, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
        """The host waits for the lengths: it must know how large the new tensor is."""
        own = torch.tensor(sent.lengths, dtype=torch.int64, device=self.device)
        came = torch.empty_like(own)
        each = [own.element_size()] * self.size
        self._exchange(own.data_ptr(), each, came.data_ptr(), each)
        lengths: list[int] = came.tolist()
        data = torch.empty(sum(lengths), dtype=torch.uint8, device=self.device)
        self._exchange(sent.memory.data_ptr(), sent.lengths, data.data_ptr(), lengths)
        return data, lengths

    def exchange_dynamic(
        self, input: torch.Tensor, out: torch.Tensor, counts: torch.Tensor, arrived: torch.Tensor
    ) -> None:
        """Exchange rows. Their numbers are on the device, and the host does not learn them.

        All tensors are contiguous, rows have elements, and `input` has as many bytes on all ranks.
        """
        row_bytes = prod(input.shape[1:]) * input.element_size()
        with cuda.CUDA.on(self.device):
            plan, stream = self._direct_for(input.nbytes), self._stream_for_direct()
            self._library.exchange_dynamic(
                plan, self._comm, stream, row_bytes,
                input.data_ptr(), input.size(0), counts.data_ptr(), out.data_ptr(), out.size(0),
                arrived[0].data_ptr(), arrived[1].data_ptr(),
            )  # fmt: skip

    def take_part(self) -> None:
        """Other ranks are not told."""

    def free(self) -> int:
        """End them, unless a graph may be replayed: NCCL would wait for its end without limit.

        Raises the error of an exchange, for programs that replay graphs and call nothing more.
        """
        if self.is_captured:
            self._check()
        else:
            self.end()
        return 0

    def end(self) -> None:
        """End all of it, even if something fails. Collective. No graph must be there."""
        self._is_ended = True
        with cuda.CUDA.on(self.device), ExitStack() as last:
            last.callback(self._library.close, self._comm)
            for plan in reversed(self._direct.values()):
                last.callback(self._library.end_plan, plan)
            self._library.end_plan(self._grouped)
            self._check()

    def _check(self) -> None:
        for plan in self._direct.values():
            self._library.check(plan)

    def _exchange(self, send: int, sent: list[int], receive: int, arriving: list[int]) -> None:
        own, expected = sent[self.rank], arriving[self.rank]
        if own != expected:  # other pairs of lengths would need an exchange of their own
            raise ValueError(
                f"rank {self.rank} sends {own} bytes to itself, but expects {expected}"
            )
        if self._is_ended:
            raise RuntimeError("the group was freed")
        with cuda.CUDA.on(self.device):
            self.is_captured |= cuda.CUDA.is_capturing()
            stream = cuda.CUDA.stream(self.device)
            self._library.exchange(self._grouped, self._comm, stream, send, sent, receive, arriving)

    def _stream_for_direct(self) -> int:
        """The current stream, in which an exchange follows those of other streams.

        The exchanges of a plan must not run at the same time. NCCL orders its own in this way. For
        replays of a graph the program does it.
        """
        stream = cuda.CUDA.stream(self.device)
        handle, last = self._last_stream
        if cuda.CUDA.is_capturing():
            self.is_captured = True
        elif last is None or stream != handle:
            self._last_stream = stream, cuda.CUDA.follow_stream(last, self.device)
        return stream

    def _direct_for(self, nbytes: int) -> c_void_p:
        """The smallest plan for blocks of so many bytes. All ranks have the same plans.

        Plans stay, because a graph may have captured the kernel of any.
        """
        fit = [length for length in self._direct if length >= nbytes]
        if not fit:
            _refuse_capture("tensors of this size")
            fit = [max(_LEAST_PLAN, 1 << (nbytes - 1).bit_length())]
            plan = self._library.plan(self._comm, "direct", fit[0])
            self._direct[fit[0]] = plan
            self._library.set_timeout(plan, self.patience)
        return self._direct[min(fit)]


class Enqueued:
    """An exchange in a stream, whose later work sees it complete."""

    def test(self) -> bool:
        return True

    def wait(self) -> None:
        pass

    def came(self) -> list[int] | None:
        return None


def placed(ranks: Ranks, *arguments: object) -> Ranks:
    """The ranks as they exchange these tensors. Collective the first time with a tensor of a GPU.

    One of them tells, even if the others are wrong: ranks that exchange tensors of GPUs do not wait
    for this one on the host.
    """
    if ranks.is_on_gpu:
        return ranks
    tensor = next(filter(cuda.CUDA.has, arguments), None)
    if tensor is None:
        return ranks
    assert isinstance(tensor, torch.Tensor)
    if ranks.of_gpu is None:
        _refuse_capture("tensors of GPUs")
        ranks.of_gpu = _opened(ranks, tensor.device) or ranks
    found = ranks.of_gpu
    if found.is_on_gpu and found.device != tensor.device:
        raise ValueError(
            f"the group exchanges tensors on {found.device}, but this one is on {tensor.device}"
        )
    return found


def _refuse_capture(what: str) -> None:
    if cuda.CUDA.is_capturing():
        raise RuntimeError(
            f"the first exchange of {what} in a group cannot be captured into a graph: exchange "
            "once before"
        )


def _opened(host: Ranks, device: torch.device) -> OverNccl | None:
    """The ranks over NCCL; None on all ranks if one of them cannot use it. Collective."""
    library, comm, fault = None, 0, ""
    unique_id = b""
    with cuda.CUDA.on(device):
        try:
            library = cuda.CUDA.load()
            unique_id = library.unique_id() if host.rank == 0 else b""
        except (OSError, AttributeError, NcclError) as error:
            fault = str(error)
        unique_id, fault = _agreed(host, unique_id, fault)
        if not fault:
            assert library is not None
            # NCCL would wait without limit for a rank that was there and has given up.
            _agreed(host, b"", "")
            try:
                comm = library.open(unique_id, host.rank, host.size)
            except NcclError as error:
                fault = str(error)
            _, fault = _agreed(host, b"", fault)
        if not fault:
            assert library is not None
            return OverNccl(library, comm, host, device)
        if comm and library is not None:
            library.close(comm)
    if host.rank == 0:
        warnings.warn(f"tensors of GPUs are exchanged through the host: {fault}", stacklevel=4)
    return None


def _agreed(host: Ranks, own: bytes, fault: str) -> tuple[bytes, str]:
    """What rank 0 says, and the first fault of any rank. Collective."""
    said = _gathered(host, b"!" + fault.encode() if fault else b"." + own)
    for rank, one in enumerate(said):
        if one.startswith(b"!"):
            return b"", f"rank {rank}: {one[1:].decode()}"
    return said[0][1:], ""


def _gathered(host: Ranks, own: bytes) -> list[bytes]:
    memory = torch.frombuffer(bytearray(own) * host.size, dtype=torch.uint8)
    data, lengths = host.arrive(Blocks(memory, [len(own)] * host.size, "bytes", 1))
    return [bytes(part.numpy()) for part in torch.split(data, lengths)]
