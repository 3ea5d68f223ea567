"""Exchanges whose split sizes are in a tensor, as those of PyTorch's symmetric memory."""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any

import torch
from torch import Tensor

from rondo.torch import blocks
from rondo.torch.exchanges import Checked
from rondo.torch.groups import Group, ranks_of
from rondo.torch.over_nccl import OverNccl, placed
from rondo.torch.ranks import Ranks
from rondo.torch.transfer import arrive

__all__ = ["all_to_all_vdev"]

_THEIRS: Any = import_module("torch.distributed.distributed_c10d")


def all_to_all_vdev(
    input: Tensor,
    out: Tensor,
    in_splits: Tensor,
    out_splits_offsets: Tensor,
    group: Group = None,
) -> None:
    """Send rows of `input` to every rank, and write what arrives and how much that is. Collective.

    On GPUs the host does not learn the numbers: one kernel reads `in_splits`, exchanges the rows,
    and writes `out` and `out_splits_offsets`, again at every replay of a graph. Arguments and their
    order are those of torch.ops.symm_mem.all_to_all_vdev, but the tensors need not be symmetric
    memory. It has no gradient, so `input` must not require one.

    The operator torch.ops.rondo.all_to_all_vdev takes the name of a process group as its last
    argument instead of the group; an empty name stands for the default process group.

    Parameters
    ----------
    input
        The rows that this rank sends, for rank 0 first. On GPUs it has the same size on all ranks.
    out
        The tensor in which this rank receives, from rank 0 first. It may have room for more, and
        must not overlap `input`.
    in_splits
        How many rows of `input` go to each rank, as int64. They may add up to fewer than it has.
    out_splits_offsets
        Written, as int64 of shape (2, ranks): how many rows come from each rank, and at which row
        of `out` they begin.
    group
        The ranks that exchange, as in all_to_all_single.

    Raises
    ------
    TypeError
        If an argument is no tensor, or has a wrong dtype.
    ValueError
        If tensors do not fit together, or `out` has no room. On GPUs the latter is a RuntimeError
        of a later call.
    RuntimeError
        If the exchange fails, or the arguments of another rank are wrong.

    Examples
    --------
    Rank r sends r + 1 rows to every rank:

    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> input = torch.full((comm.size * comm.size, 2), comm.rank)
    >>> out = torch.empty_like(input)
    >>> in_splits = torch.full((comm.size,), comm.rank + 1)
    >>> arrived = torch.empty(2, comm.size, dtype=torch.int64)
    >>> rondo.torch.all_to_all_vdev(input, out, in_splits, arrived, comm)
    >>> arrived[0].tolist() == [rank + 1 for rank in range(comm.size)]
    True
    >>> out[arrived[1], 0].tolist() == list(range(comm.size))
    True
    """
    ranks = placed(ranks_of(group), input, out)
    with Checked(ranks):
        _check(ranks, input, out, in_splits, out_splits_offsets)
    if isinstance(ranks, OverNccl):
        ranks.exchange_dynamic(input, out, in_splits, out_splits_offsets)
    else:
        _through_host(ranks, input, out, in_splits, out_splits_offsets)


def _check(ranks: Ranks, input: Tensor, out: Tensor, counts: Tensor, arrived: Tensor) -> None:
    tensors = {"input": input, "out": out, "in_splits": counts, "out_splits_offsets": arrived}
    for name, one in tensors.items():
        blocks.require_plain(one, name)
        if not one.is_contiguous():
            raise ValueError(f"{name} is not contiguous")
        if one.is_conj() or one.is_neg():  # the bytes in memory are others
            raise ValueError(f"{name} is a lazy conjugate or negative: resolve it first")
        if one.device != input.device:
            raise ValueError(f"{name} is on {one.device}, but input is on {input.device}")
    if out.dtype != input.dtype:
        raise TypeError(f"out has {out.dtype}, but input has {input.dtype}")
    if input.dim() == 0 or out.dim() == 0 or input.shape[1:] != out.shape[1:]:
        raise ValueError(
            f"input has the shape {tuple(input.shape)}, and out {tuple(out.shape)}: all dimensions "
            "but the first must be the same"
        )
    if torch.is_grad_enabled() and input.requires_grad:
        raise ValueError("all_to_all_vdev has no gradient: detach the input")
    if prod(input.shape[1:]) == 0:
        raise ValueError("input has rows without elements, which cannot be counted on arrival")
    for name, shape in (("in_splits", (ranks.size,)), ("out_splits_offsets", (2, ranks.size))):
        one = tensors[name]
        if one.dtype != torch.int64:
            raise TypeError(f"{name} has {one.dtype}, not torch.int64")
        if tuple(one.shape) != shape:
            raise ValueError(f"{name} has the shape {tuple(one.shape)}, not {shape}")


def _through_host(
    ranks: Ranks, input: Tensor, out: Tensor, counts: Tensor, arrived: Tensor
) -> None:
    with Checked(ranks):
        sizes = counts.tolist()
        rows = sum(sizes)
        if min(sizes) < 0 or rows > input.size(0):
            raise ValueError(f"in_splits is {sizes}, but input has {input.size(0)} rows")
        sent = blocks.rows(input[:rows], sizes, ranks, "input")
    data, came = arrive(ranks, sent)
    rows = sum(came)
    if rows > out.size(0):
        raise ValueError(f"{rows} rows arrive, but out has room for {out.size(0)}")
    with torch.no_grad():
        out[:rows].copy_(data.view(rows, *out.shape[1:]))
        splits = torch.tensor(came)
        arrived.copy_(torch.stack([splits, splits.cumsum(0) - splits]))


@torch.library.custom_op("rondo::all_to_all_vdev", mutates_args=("out", "out_splits_offsets"))
def _operator(
    input: Tensor,
    out: Tensor,
    in_splits: Tensor,
    out_splits_offsets: Tensor,
    group_name: str,
) -> None:
    named = _THEIRS._resolve_process_group(group_name) if group_name else None
    all_to_all_vdev(input, out, in_splits, out_splits_offsets, named)
