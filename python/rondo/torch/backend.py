"""The backend `rondo` of torch.distributed: all-to-all by Rondo, everything else by MPI."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from rondo._library import MPI
from rondo.torch import exchanges, rendezvous
from rondo.torch.blocks import Blocks, deliver, listed, whole
from rondo.torch.groups import communicator_of
from rondo.torch.reductions import Reduction, reduction
from rondo.torch.work import OfMpi, Together, Work

__all__ = ["ProcessGroup"]

Tensor = torch.Tensor
Tensors = Sequence[torch.Tensor]
Lists = Sequence[Sequence[torch.Tensor]]


_Base: Any = dist.ProcessGroup
"""Without its types: they differ between versions of PyTorch."""


class ProcessGroup(_Base):  # type: ignore[misc]
    """A process group of the backend `rondo`, as init_process_group and new_group make it.

    `communicator` is its communicator in MPI. destroy_process_group, which all ranks call, frees
    it. The functions of torch.distributed call its other methods.

    Examples
    --------
    >>> import torch
    >>> import rondo.torch
    >>> torch.distributed.init_process_group("rondo")
    >>> group = torch.distributed.group.WORLD
    >>> isinstance(group, rondo.torch.ProcessGroup), group.size() == group.communicator.size
    (True, True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(self, communicator: MPI.Intracomm) -> None:
        super().__init__(communicator.rank, communicator.size)
        self.communicator = communicator_of(communicator)
        self._name = self._description = ""

    def all_to_all_single(
        self,
        output: Tensor,
        input: Tensor,
        output_split_sizes: Sequence[int],
        input_split_sizes: Sequence[int],
        opts: object = None,
    ) -> Work | None:
        with torch.no_grad():
            return exchanges.all_to_all_single(
                output, input, output_split_sizes, input_split_sizes, self, async_op=True
            )

    def alltoall(self, outputs: Tensors, inputs: Tensors, opts: object = None) -> Work | None:
        with torch.no_grad():
            return exchanges.all_to_all(outputs, inputs, self, async_op=True)

    def broadcast(self, tensors: Tensors, opts: Any) -> Work:
        both = whole(tensors[0], "tensor")
        return self._work(self.communicator.Ibcast(_bytes(both), opts.rootRank), both, tensors)

    def allgather(self, outputs: Lists, inputs: Tensors, opts: object = None) -> Work:
        received, sent = self._listed(outputs[0]), whole(inputs[0], "tensor")
        request = self.communicator.Iallgatherv(_bytes(sent), _split(received))
        return self._work(request, received, outputs[0], sent)

    def all_gather_single(self, output: Tensor, input: Tensor, opts: object = None) -> Work:
        received, sent = whole(output, "output_tensor"), whole(input, "input_tensor")
        request = self.communicator.Iallgather(_bytes(sent), _bytes(received))
        return self._work(request, received, [output], sent)

    def gather(self, outputs: Lists, inputs: Tensors, opts: Any) -> Work:
        sent, tensors = whole(inputs[0], "tensor"), outputs[0] if outputs else []
        received = self._listed(tensors) if tensors else None
        at_root = _split(received) if received else None
        request = self.communicator.Igatherv(_bytes(sent), at_root, opts.rootRank)
        return self._work(request, received, tensors, sent)

    def scatter(self, outputs: Tensors, inputs: Lists, opts: Any) -> Work:
        received = whole(outputs[0], "tensor")
        sent = self._listed(inputs[0]) if inputs else None
        at_root = _split(sent) if sent else None
        request = self.communicator.Iscatterv(at_root, _bytes(received), opts.rootRank)
        return self._work(request, received, outputs, sent)

    def allreduce(self, tensors: Tensors, opts: Any) -> Work:
        both, how = whole(tensors[0], "tensor"), reduction(tensors[0].dtype, opts.reduceOp)
        wide = how.widened(both)
        request = self.communicator.Iallreduce(MPI.IN_PLACE, _items(wide, how), how.operation)
        return self._reduced(request, wide, how, tensors)

    def reduce(self, tensors: Tensors, opts: Any) -> Work:
        both, how = whole(tensors[0], "tensor"), reduction(tensors[0].dtype, opts.reduceOp)
        wide, is_root = how.widened(both), self.communicator.rank == opts.rootRank
        items = _items(wide, how)
        send, recv = (MPI.IN_PLACE, items) if is_root else (items, None)
        request = self.communicator.Ireduce(send, recv, how.operation, opts.rootRank)
        return self._reduced(request, wide, how, tensors if is_root else [])

    def reduce_scatter(self, outputs: Tensors, inputs: Lists, opts: Any) -> Work:
        how = reduction(outputs[0].dtype, opts.reduceOp)
        sent = how.widened(self._listed(inputs[0]))
        received = how.widened(whole(outputs[0], "output"))
        request = self.communicator.Ireduce_scatter(
            _items(sent, how), _items(received, how), sent.counts, how.operation
        )
        return self._reduced(request, received, how, outputs, sent)

    def reduce_scatter_single(self, output: Tensor, input: Tensor, opts: Any) -> Work:
        how = reduction(output.dtype, opts.reduceOp)
        sent, received = how.widened(whole(input, "input")), how.widened(whole(output, "output"))
        request = self.communicator.Ireduce_scatter_block(
            _items(sent, how), _items(received, how), how.operation
        )
        return self._reduced(request, received, how, [output], sent)

    def allreduce_coalesced(self, tensors: Tensors, opts: Any) -> Work:
        return _together([self.allreduce([one], opts) for one in tensors])

    def all_gather_single_coalesced(
        self, outputs: Tensors, inputs: Tensors, opts: object = None
    ) -> Work:
        return _together([self.all_gather_single(*pair) for pair in zip(outputs, inputs)])

    def reduce_scatter_single_coalesced(self, outputs: Tensors, inputs: Tensors, opts: Any) -> Work:
        pairs = zip(outputs, inputs)
        return _together([self.reduce_scatter_single(*pair, opts) for pair in pairs])

    def send(self, tensors: Tensors, destination: int, tag: int) -> Work:
        sent = whole(tensors[0], "tensor")
        return self._work(self.communicator.Isend(_bytes(sent), destination, tag), None, [], sent)

    def recv(self, tensors: Tensors, source: int, tag: int) -> Work:
        received = whole(tensors[0], "tensor")
        request = self.communicator.Irecv(_bytes(received), source, tag)
        started = OfMpi(request, received, status=MPI.Status())
        return Work(started, tensors, partial(deliver, received), self.communicator)

    def recv_anysource(self, tensors: Tensors, tag: int) -> Work:
        return self.recv(tensors, MPI.ANY_SOURCE, tag)

    def barrier(self, opts: object = None) -> Work:
        return self._work(self.communicator.Ibarrier(), None, [])

    def monitored_barrier(self, timeout: timedelta, wait_all_ranks: bool = False) -> None:
        self.barrier().wait(timeout)

    # What split_group asks for.
    _device_types = [torch.device("cpu")]
    supports_splitting = True

    def split_group(self, ranks: Sequence[int], **options: Any) -> ProcessGroup | None:
        """The group of these ranks of this one, None on others. Collective over this one."""
        here = self.communicator.rank
        color, key = (ranks[0], ranks.index(here)) if here in ranks else (MPI.UNDEFINED, 0)
        part: Any = self.communicator.Split(color, key)
        if part == MPI.COMM_NULL:
            return None
        if part.size != len(ranks):
            raise ValueError(f"split_group: rank {here} is in several groups, or {ranks} differs")
        group = ProcessGroup(part)
        group.setGroupName(options.get("group_name") or "")
        group.setGroupDesc(options.get("group_desc") or "")
        return group

    # What these were called before PyTorch 2.15.
    alltoall_base = all_to_all_single
    _allgather_base = all_gather_single
    _reduce_scatter_base = reduce_scatter_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced

    def shutdown(self) -> None:
        """Complete what is under way, and free the communicator.

        destroy_process_group calls it on all ranks. Receives without a message are cancelled. After
        a wait that was in vain the communicator stays, and so do the tensors.
        """
        comm, self.communicator = self.communicator, MPI.Intracomm(MPI.COMM_NULL)
        if comm == MPI.COMM_NULL or MPI.Is_finalized():
            return
        left = Work.complete_all_on(comm)
        if left == 0:
            comm.Free()
        else:
            warnings.warn(
                "a group is destroyed, and other ranks have not taken part in "
                f"{left} of its works: their tensors and its communicator stay",
                stacklevel=2,
            )

    def getBackendName(self) -> str:  # noqa: N802: these names are PyTorch's
        return "rondo"

    def setGroupName(self, name: str) -> None:  # noqa: N802
        self._name = name

    def getGroupName(self) -> str:  # noqa: N802
        return self._name

    def setGroupDesc(self, description: str) -> None:  # noqa: N802
        self._description = description

    def getGroupDesc(self) -> str:  # noqa: N802
        return self._description

    def _get_backend(self, device: torch.device) -> ProcessGroup:
        return self

    def _listed(self, tensors: Tensors) -> Blocks:
        return listed(tensors, self.communicator.size, "tensor_list")

    def _reduced(
        self,
        request: MPI.Request,
        received: Blocks,
        how: Reduction,
        tensors: Tensors,
        *sent: Blocks,
    ) -> Work:
        ranks = self.communicator.size

        def finish(tensors: Tensors) -> None:
            if tensors:
                reduced = how.finished(received.memory, ranks).to(tensors[0].dtype)
                deliver(received._replace(memory=reduced), tensors)

        return Work(OfMpi(request, received, *sent), tensors, finish, self.communicator)

    def _work(
        self,
        request: MPI.Request,
        received: Blocks | None,
        tensors: Tensors,
        *sent: Blocks | None,
    ) -> Work:
        finish = None if received is None else partial(deliver, received)
        return Work(OfMpi(request, received, *sent), tensors, finish, self.communicator)


def register() -> None:
    """Make the backend known to torch.distributed.

    PyTorch's recorder of collectives needs a backend in C++, and leaves out those of this set.
    """
    left_out: set[str] = getattr(dist.distributed_c10d, "_FR_SELF_RECORDING_BACKENDS", set())
    left_out.add("rondo")
    dist.Backend.register_backend("rondo", _create, extended_api=True, devices=["cpu"])
    rendezvous.register()


def _create(options: Any, _: object = None) -> ProcessGroup:
    """A group of all ranks or of some. Collective over them."""
    world, ranks = MPI.COMM_WORLD, options.global_ranks_in_group
    known = (dist.get_rank(), dist.get_world_size()) if ranks else _place_in(options)
    if known != (world.rank, world.size):
        raise ValueError(
            f"torch.distributed has rank {known[0]} of {known[1]}, but MPI has rank {world.rank} "
            f"of {world.size}: start the program with mpirun, and name no rank and no world_size"
        )
    if not ranks:
        return ProcessGroup(world.Dup())
    return ProcessGroup(world.Create_group(world.group.Incl(ranks)))


def _place_in(options: Any) -> tuple[int, int]:
    return options.group_rank, options.group_size


def _together(works: Sequence[Work]) -> Work:
    tensors = [tensor for work in works for tensor in work.tensors]
    return Work(Together(works), tensors)


def _buffer(blocks: Blocks) -> MPI.buffer:
    return MPI.buffer.fromaddress(blocks.memory.data_ptr(), blocks.nbytes)


def _bytes(blocks: Blocks) -> list[Any]:
    return [_buffer(blocks), MPI.BYTE]


def _split(blocks: Blocks) -> list[Any]:
    return [_buffer(blocks), [size * blocks.row_bytes for size in blocks.sizes], MPI.BYTE]


def _items(blocks: Blocks, how: Reduction) -> list[Any]:
    return [_buffer(blocks), how.kind]
