"""One side of an exchange: a block for each rank, one after the other in memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, NamedTuple, Optional

import torch

if TYPE_CHECKING:
    from rondo.torch.ranks import Ranks

Splits = Optional[Sequence[int]]
"""How many rows each rank gets; None or nothing for as many."""


class Blocks(NamedTuple):
    """The blocks, and how they were named where the exchange was called."""

    memory: torch.Tensor  # contiguous, on the device of the ranks
    sizes: list[int]  # of the blocks, in what the caller counts
    unit: str  # what that is: rows or elements
    row: int  # elements in one of them

    @property
    def nbytes(self) -> int:
        return self.memory.nbytes

    @property
    def row_bytes(self) -> int:
        return self.row * self.memory.element_size()

    @property
    def lengths(self) -> list[int]:
        """The bytes of each block."""
        return [size * self.row_bytes for size in self.sizes]

    @property
    def counts(self) -> list[int]:
        """The elements of each block."""
        return [size * self.row for size in self.sizes]


def rows(tensor: torch.Tensor, splits: Splits, ranks: Ranks, name: str) -> Blocks:
    """The blocks of a tensor that is split along its first dimension."""
    require_plain(tensor, name)
    shape = tensor.shape
    if not shape:
        raise ValueError(f"{name} is a scalar, and has no rows to split")
    sizes = split_sizes(shape[0], splits, ranks.size, name)
    return Blocks(_at(ranks.device, tensor), sizes, "rows", prod(shape[1:]))


def split_sizes(length: int, splits: Splits, ranks: int, name: str) -> list[int]:
    """How many rows of so many belong to each rank; without splits all have as many."""
    if splits is None or len(splits) == 0:
        if length % ranks != 0:
            raise ValueError(
                f"{name} has {length} rows, which {ranks} ranks cannot share equally: give "
                f"{name}_split_sizes"
            )
        return [length // ranks] * ranks
    sizes = list(map(index, splits))
    if len(sizes) != ranks:
        raise ValueError(f"{name}_split_sizes: expecting {ranks} numbers, got {len(sizes)}")
    if min(sizes) < 0:
        raise ValueError(f"{name}_split_sizes[{sizes.index(min(sizes))}] is {min(sizes)}")
    if sum(sizes) != length:
        raise ValueError(f"{name}_split_sizes add up to {sum(sizes)}, but {name} has {length} rows")
    return sizes


def listed(tensors: Sequence[torch.Tensor], ranks: Ranks, name: str) -> Blocks:
    """The blocks of a list of tensors: in place where they follow each other, else a copy."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}: expecting a list of tensors, got {type(tensors).__name__}")
    if len(tensors) != ranks.size:
        raise ValueError(f"{name}: expecting {ranks.size} tensors, got {len(tensors)}")
    for place, tensor in enumerate(tensors):
        require_plain(tensor, f"{name}[{place}]")
        _require_alike(tensor, tensors[0], f"{name}[{place}]", f"{name}[0]")
    there = [_at(ranks.device, tensor).detach() for tensor in tensors]
    joined = _joined(there)
    memory = torch.cat([one.reshape(-1) for one in there]) if joined is None else joined
    return Blocks(memory, [one.numel() for one in there], "elements", 1)


def deliver(blocks: Blocks, tensors: Sequence[torch.Tensor]) -> None:
    """Copy what has arrived to the tensors that it is for, unless it is there already."""
    if len(tensors) == 1 and tensors[0] is blocks.memory:
        return
    flat = blocks.memory.reshape(-1)
    pieces = [flat] if len(tensors) == 1 else torch.split(flat, blocks.counts)
    for piece, tensor in zip(pieces, tensors):
        if piece.data_ptr() != tensor.data_ptr():
            # Tensors of the inference mode may be changed only there.
            with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
                tensor.copy_(piece.view_as(tensor))


def require_both_alike(output: Sequence[torch.Tensor], input: Sequence[torch.Tensor]) -> None:
    """The two sides must have one dtype and device."""
    if output and input:
        _require_alike(output[0], input[0], "output", "input")


def _require_alike(one: torch.Tensor, other: torch.Tensor, name: str, other_name: str) -> None:
    if one.dtype != other.dtype:
        raise TypeError(f"{name} has {one.dtype}, but {other_name} has {other.dtype}")
    if one.device != other.device:
        raise ValueError(f"{name} is on {one.device}, but {other_name} is on {other.device}")


def require_plain(tensor: torch.Tensor, name: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name}: expecting a tensor, got {type(tensor).__name__}")
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise TypeError(f"{name} must be dense, but is {tensor.layout} with {tensor.dtype}")
    if tensor.is_meta:
        raise ValueError(f"{name} is on meta, and has no data")


def _at(device: torch.device, tensor: torch.Tensor) -> torch.Tensor:
    """Its elements one after the other on that device: the tensor if they are so, else a copy."""
    is_there = tensor.device == device and tensor.is_contiguous()
    if is_there and not (tensor.is_conj() or tensor.is_neg()):
        return tensor
    return tensor.detach().to(device).resolve_conj().resolve_neg().contiguous()


def _joined(tensors: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """Tensors as a flat one, without a copy; None unless they follow each other in one storage."""
    full = [one for one in tensors if one.numel()]
    if not full:
        return tensors[0].reshape(-1)
    begin, storage = full[0].data_ptr(), _storage(full[0])
    end = begin
    for one in full:
        if one.data_ptr() != end or _storage(one) != storage:
            return None
        end += one.nbytes
    return full[0].as_strided(((end - begin) // full[0].element_size(),), (1,))


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
