"""The exchanges of tensors, on the host by Rondo's exchange without receive counts.

So every rank sees there how much the others really send, and says which of them sent something else
than it expected. On GPUs NCCL takes the counts of both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import torch

from rondo.torch import blocks
from rondo.torch.blocks import Blocks, Splits
from rondo.torch.groups import Group, ranks_of
from rondo.torch.on_stream import OnStream
from rondo.torch.over_nccl import placed
from rondo.torch.ranks import Ranks
from rondo.torch.transfer import Transfer, arrive, exchange_plain, plain_rows
from rondo.torch.work import Work

__all__ = ["AllToAll", "Arrived", "all_to_all", "all_to_all_dynamic", "all_to_all_single"]

_THEIRS: Any = import_module("torch.distributed.distributed_c10d")
_NAMED = (type(None), _THEIRS.ProcessGroup)


class Arrived(NamedTuple):
    """What has arrived: `output_split_sizes[q]` rows from rank q, in the order of the ranks.

    Examples
    --------
    >>> import torch
    >>> one = Arrived(torch.tensor([7, 8, 9]), [1, 2])
    >>> [block.tolist() for block in one.output.split(one.output_split_sizes)]
    [[7], [8, 9]]
    """

    output: torch.Tensor
    output_split_sizes: list[int]


def all_to_all_single(
    output: torch.Tensor,
    input: torch.Tensor,
    output_split_sizes: Splits = None,
    input_split_sizes: Splits = None,
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """Send a part of `input` to every rank, and receive one from each in `output`. Collective.

    If `input` requires a gradient, `output` gets one as by an in-place copy.

    Parameters
    ----------
    output
        The tensor in which this rank receives. It must not overlap `input`.
    input
        The tensor that this rank sends, of the same dtype.
    output_split_sizes
        How many rows of `output`, along its first dimension, come from each rank; by default as
        many from each.
    input_split_sizes
        How many rows of `input` go to each rank; by default as many to each.
    group
        The ranks that exchange: a communicator of mpi4py, a `rondo.Group`, or a process group of
        the backend `rondo`; by default the default process group or, without one, all ranks of MPI.
    async_op
        Whether to return at once, with a Work that completes the exchange.

    Returns
    -------
    Work
        If `async_op`; None otherwise.

    Raises
    ------
    TypeError
        If an argument is no tensor, or the two have different dtypes.
    ValueError
        If split sizes do not add up on this rank, or another rank
        sent something else than `output_split_sizes` says.
    RuntimeError
        If the exchange fails, or the arguments of another rank are wrong: a `rondo.Error` of MPI, a
        `rondo.GroupError` without.

    Examples
    --------
    Rank r sends r + 1 rows to every rank:

    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> sent, arriving = [comm.rank + 1] * comm.size, [rank + 1 for rank in range(comm.size)]
    >>> send, recv = torch.full((sum(sent), 2), comm.rank), torch.empty(sum(arriving), 2).long()
    >>> rondo.torch.all_to_all_single(recv, send, arriving, sent, group=comm)
    >>> recv[:, 0].tolist() == [rank for rank in range(comm.size) for _ in range(rank + 1)]
    True
    """
    ranks = ranks_of(group)
    splits = output_split_sizes, input_split_sizes
    if not _is_recorded([input]):
        return exchange_rows(ranks, output, input, *splits, async_op)
    ranks = placed(ranks, input, output)
    with Checked(ranks):
        sent, received = _sides(ranks, output, input, *splits)
        _refuse_gradient_of_async(async_op)
    arrived = _AllToAll.apply(input.reshape(-1), received.counts, sent.counts, ranks)
    output.copy_(arrived.view_as(output))
    return None


def all_to_all(
    output_tensor_list: Sequence[torch.Tensor],
    input_tensor_list: Sequence[torch.Tensor],
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """Send a tensor to every rank, and receive one from each. Collective.

    Tensors that follow each other in one storage, as those of torch.split do, are exchanged where
    they are; others are copied first. If a tensor of `input_tensor_list` requires a gradient, those
    of `output_tensor_list` get one as by an in-place copy.

    Parameters
    ----------
    output_tensor_list
        A tensor for each rank, in which its block is received.
    input_tensor_list
        The tensor for each rank. All tensors of both lists have one dtype.
    group
        The ranks that exchange, as in all_to_all_single.
    async_op
        Whether to return at once, with a Work that completes the exchange.

    Returns
    -------
    Work
        If `async_op`; None otherwise.

    Raises
    ------
    TypeError
        If an argument is no list of tensors, or they have different dtypes.
    ValueError
        If a list has not one tensor for each rank, or another rank sent something else than the
        tensor for it has room for.
    RuntimeError
        If the exchange fails, or the arguments of another rank are wrong: a `rondo.Error` of MPI, a
        `rondo.GroupError` without.

    Examples
    --------
    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> send = [torch.full((2,), 10 * comm.rank + rank) for rank in range(comm.size)]
    >>> recv = [torch.empty(2, dtype=torch.int64) for rank in range(comm.size)]
    >>> rondo.torch.all_to_all(recv, send, group=comm)
    >>> recv[0].tolist() == [comm.rank] * 2
    True
    """
    return exchange_lists(ranks_of(group), output_tensor_list, input_tensor_list, async_op)


def all_to_all_dynamic(
    input: torch.Tensor, input_split_sizes: Splits = None, group: Group = None
) -> Arrived:
    """Send a part of `input` to every rank, and learn what arrives. Collective.

    One call replaces an exchange of the split sizes and an all_to_all_single. Gradients flow back.

    Parameters
    ----------
    input
        The tensor that this rank sends. All ranks have the same dtype, and the same shape but for
        the first dimension.
    input_split_sizes
        How many rows of `input` go to each rank; by default as many to each.
    group
        The ranks that exchange, as in all_to_all_single.

    Returns
    -------
    Arrived
        The rows in a new tensor, and how many of them came from each rank.

    Raises
    ------
    TypeError
        If `input` is no tensor.
    ValueError
        If the split sizes do not add up, or the rows of another rank have another size.
    RuntimeError
        If the exchange fails, or the arguments of another rank are wrong: a `rondo.Error` of MPI, a
        `rondo.GroupError` without.

    Examples
    --------
    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> sent = [comm.rank + 1] * comm.size
    >>> output, sizes = rondo.torch.all_to_all_dynamic(torch.ones(sum(sent), 3), sent, comm)
    >>> sizes == [rank + 1 for rank in range(comm.size)], output.shape == (sum(sizes), 3)
    (True, True)
    """
    ranks = placed(ranks_of(group), input)
    with Checked(ranks):
        sent = blocks.rows(input, input_split_sizes, ranks, "input")
        if sent.row == 0 and input.size(0) > 0:
            raise ValueError("input has rows without elements, which cannot be counted on arrival")
    return Arrived(*_Dynamic.apply(input, sent, ranks))


class AllToAll:
    """all_to_all_single as a function: AllToAll.apply(input, output_split_sizes, ...).

    The other arguments are input_split_sizes and group, in this order. It returns the output. The
    gradient of the input is exchanged in the other direction, and may be differentiated again.
    torch.func transforms it, and torch.compile takes it into its graph if `group` is None or a
    process group.

    Examples
    --------
    >>> import torch
    >>> import rondo.torch
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> x = torch.ones(comm.size, requires_grad=True)
    >>> y = rondo.torch.AllToAll.apply(x, None, None, comm)
    >>> ((comm.rank + 1) * y).sum().backward()
    >>> x.grad.tolist() == [rank + 1.0 for rank in range(comm.size)]
    True
    """

    @staticmethod
    def apply(
        input: torch.Tensor,
        output_split_sizes: Splits = None,
        input_split_sizes: Splits = None,
        group: Group = None,
    ) -> torch.Tensor:
        """Exchange, as all_to_all_single with an output of its own. Collective.

        Parameters
        ----------
        input
            The tensor that this rank sends.
        output_split_sizes
            How many rows of the output come from each rank; by default as many from each.
        input_split_sizes
            How many rows of `input` go to each rank; by default as many to each.
        group
            The ranks that exchange, as in all_to_all_single.

        Returns
        -------
        Tensor
            The output.
        """
        splits = output_split_sizes, input_split_sizes
        if torch.compiler.is_compiling() and isinstance(group, _NAMED):
            lists = ([] if sizes is None else list(sizes) for sizes in splits)
            name = "" if group is None else group.group_name
            output: torch.Tensor = _in_graphs(input, *lists, name)
        else:
            output = _AllToAll.apply(input, *splits, ranks_of(group))
        return output


class _AllToAll(torch.autograd.Function):
    """A linear function: its derivative is itself, and its transpose goes the other way."""

    @staticmethod
    def forward(input: torch.Tensor, arriving: Splits, sizes: Splits, ranks: Ranks) -> Any:
        ranks = placed(ranks, input)
        with Checked(ranks):
            sent = blocks.rows(input, sizes, ranks, "input")
            output = input.new_empty((_length(input, arriving), *input.shape[1:]))
            received = blocks.rows(output, arriving, ranks, "output")
            transfer = Transfer(ranks, sent, received)
        _exchange(transfer, [output], async_op=False)
        return output

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        _, arriving, sizes, ctx.ranks = inputs
        # As they were: the caller may change its lists.
        ctx.splits = [None if one is None else list(one) for one in (arriving, sizes)]

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return _AllToAll.apply(gradients[0], *reversed(ctx.splits), ctx.ranks), None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return _AllToAll.apply(tangents[0], *ctx.splits, ctx.ranks)

    @staticmethod
    def vmap(info: Any, dims: tuple[Any, ...], input: torch.Tensor, *others: Any) -> Any:
        """One exchange of rows that hold what is mapped over."""
        return _AllToAll.apply(input.movedim(dims[0], 1), *others), 1


def _length(input: torch.Tensor, arriving: Splits) -> int:
    if arriving is None or len(arriving) == 0:
        return input.size(0)
    return sum(map(int, arriving))


@torch.library.custom_op("rondo::all_to_all", mutates_args=())
def _in_graphs(
    input: torch.Tensor, arriving: Sequence[int], sizes: Sequence[int], group: str
) -> torch.Tensor:
    """The same as an operator, which torch.compile does not look into.

    The group goes by its name, so that a graph outlives it; none stands for None.
    """
    named = _THEIRS._resolve_process_group(group) if group else None
    output: torch.Tensor = _AllToAll.apply(input, arriving, sizes, ranks_of(named))
    return output


@_in_graphs.register_fake
def _shape(
    input: torch.Tensor, arriving: Sequence[int], sizes: Sequence[int], group: str
) -> torch.Tensor:
    rows = sum(arriving) if len(arriving) else input.size(0)
    return input.new_empty((rows, *input.shape[1:]))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    _, ctx.arriving, ctx.sizes, ctx.group = inputs


def _back(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    return _in_graphs(gradient, ctx.sizes, ctx.arriving, ctx.group), None, None, None


_in_graphs.register_autograd(_back, setup_context=_keep)
# Other ranks wait for this one even where it does not use what arrives.
torch.fx.node.has_side_effect(torch.ops.rondo.all_to_all.default)


class _Dynamic(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, sent: Blocks, ranks: Ranks) -> tuple[Any, ...]:
        data, sizes = arrive(ranks, sent)
        ctx.way_back = (sent.sizes, sizes, ranks)
        return data.view(sum(sizes), *input.shape[1:]).to(input.device), sizes

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return _AllToAll.apply(gradients[0], *ctx.way_back), None, None


def exchange_rows(
    ranks: Ranks,
    output: torch.Tensor,
    input: torch.Tensor,
    arriving: Splits,
    sizes: Splits,
    async_op: bool,
) -> Work | None:
    """all_to_all_single without a gradient."""
    ranks = placed(ranks, input, output)
    with Checked(ranks):
        plain = None if async_op else plain_rows(ranks.device, output, input, arriving, sizes)
    if plain is not None and exchange_plain(ranks, plain, output):
        return None
    with Checked(ranks):
        transfer = Transfer(ranks, *_sides(ranks, output, input, arriving, sizes))
    return _exchange(transfer, [output], async_op)


def exchange_lists(
    ranks: Ranks,
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    async_op: bool,
) -> Work | None:
    """all_to_all."""
    lists = [one for one in (inputs, outputs) if isinstance(one, (list, tuple)) and one]
    ranks = placed(ranks, *[one[0] for one in lists])
    with Checked(ranks):
        sent = blocks.listed(inputs, ranks, "input_tensor_list")
        received = blocks.listed(outputs, ranks, "output_tensor_list")
        blocks.require_both_alike(outputs, inputs)
        is_recorded = _is_recorded(inputs)
        if is_recorded:
            _refuse_gradient_of_async(async_op)
        transfer = Transfer(ranks, sent, received)
    if not is_recorded:
        return _exchange(transfer, outputs, async_op)
    # As columns, because torch.cat forgets empty vectors: a rank that sends nothing would then
    # leave out the exchange of second derivatives.
    joined = torch.cat([one.reshape(-1, 1) for one in inputs])
    arrived = _AllToAll.apply(joined, received.counts, sent.counts, ranks)
    for block, output in zip(torch.split(arrived, received.counts), outputs):
        output.copy_(block.view_as(output))
    return None


def _sides(
    ranks: Ranks, output: torch.Tensor, input: torch.Tensor, arriving: Splits, sizes: Splits
) -> tuple[Blocks, Blocks]:
    """What is sent, and what is to come."""
    sent = blocks.rows(input, sizes, ranks, "input")
    received = blocks.rows(output, arriving, ranks, "output")
    blocks.require_both_alike([output], [input])
    return sent, received


def _exchange(transfer: Transfer, tensors: Sequence[torch.Tensor], async_op: bool) -> Work | None:
    """Started in any case: ranks that wait for it meet those that go on."""
    started = transfer.start()
    ranks = transfer.ranks
    if async_op and not ranks.is_on_gpu:
        return Work(started, tensors, transfer.finish, ranks)
    started.wait()
    transfer.finish(tensors)
    return OnStream(tensors, ranks.device) if async_op else None


def _is_recorded(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether autograd must know of the exchange. What is no tensor is refused later."""
    if not torch.is_grad_enabled():
        return False
    return any([getattr(one, "requires_grad", False) for one in tensors])


def _refuse_gradient_of_async(async_op: bool) -> None:
    if async_op:
        raise ValueError(
            "an exchange with async_op has no gradient: detach the input, or leave out async_op"
        )


class Checked:
    """Where this rank's arguments are checked: after an error the others do not wait for it."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(RuntimeError):
                self._ranks.take_part()
