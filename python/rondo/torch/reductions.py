"""PyTorch's reductions as MPI has them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch.distributed import ReduceOp

from rondo._library import MPI
from rondo.torch.blocks import Blocks

_OPERATIONS = [
    (ReduceOp.SUM, MPI.SUM),
    (ReduceOp.AVG, MPI.SUM),  # then divided
    (ReduceOp.PRODUCT, MPI.PROD),
    (ReduceOp.MIN, MPI.MIN),
    (ReduceOp.MAX, MPI.MAX),
    (ReduceOp.BAND, MPI.BAND),
    (ReduceOp.BOR, MPI.BOR),
    (ReduceOp.BXOR, MPI.BXOR),
]
_TYPES = {
    torch.uint8: MPI.UINT8_T,
    torch.int8: MPI.INT8_T,
    torch.int16: MPI.INT16_T,
    torch.int32: MPI.INT32_T,
    torch.int64: MPI.INT64_T,
    torch.float32: MPI.FLOAT,
    torch.float64: MPI.DOUBLE,
    torch.complex64: MPI.C_FLOAT_COMPLEX,
    torch.complex128: MPI.C_DOUBLE_COMPLEX,
}
# MPI has no types for these, so they are reduced as others.
_WIDER = {
    torch.bool: torch.int32,
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
}


class Reduction(NamedTuple):
    """How tensors of a dtype are reduced: as `dtype`, which MPI calls `kind`, by `operation`."""

    dtype: torch.dtype
    kind: MPI.Datatype
    operation: MPI.Op
    is_average: bool

    def widened(self, blocks: Blocks) -> Blocks:
        """The same blocks as elements that MPI can reduce."""
        return blocks._replace(memory=blocks.memory.to(self.dtype))

    def finished(self, reduced: torch.Tensor, ranks: int) -> torch.Tensor:
        """What MPI has reduced, divided if it is to be an average."""
        if not self.is_average:
            return reduced
        is_whole = not (reduced.is_floating_point() or reduced.is_complex())
        return torch.div(reduced, ranks, rounding_mode="trunc" if is_whole else None)


def reduction(dtype: torch.dtype, operation: object) -> Reduction:
    """Of a dtype by one of torch.distributed's ReduceOp."""
    wide = _WIDER.get(dtype, dtype)
    if wide not in _TYPES:
        raise TypeError(f"MPI cannot reduce tensors of {dtype}")
    for known, by_mpi in _OPERATIONS:
        if operation == known:
            return Reduction(wide, _TYPES[wide], by_mpi, operation == ReduceOp.AVG)
    raise ValueError(f"MPI has no reduction {operation}")
