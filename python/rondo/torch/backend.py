"""The backend `rondo` of torch.distributed: all-to-all by Rondo, everything else by gloo."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Callable

import torch
import torch.distributed as dist

from rondo._library import MPI
from rondo.torch import exchanges, rendezvous
from rondo.torch.groups import communicator_of
from rondo.torch.work import Work

__all__ = ["ProcessGroup"]

Tensor = torch.Tensor
Tensors = Sequence[torch.Tensor]

_BY_GLOO = [
    "allgather",
    "allgather_coalesced",
    "all_gather_single",
    "all_gather_single_coalesced",
    "allreduce",
    "allreduce_coalesced",
    "barrier",
    "broadcast",
    "gather",
    "monitored_barrier",
    "recv",
    "recv_anysource",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_single_coalesced",
    "scatter",
    "send",
    # What some of these were called before PyTorch 2.15.
    "_allgather_base",
    "_reduce_scatter_base",
]

_THEIRS: Any = dist
"""Without its types: they differ between versions of PyTorch."""


class ProcessGroup(_THEIRS.ProcessGroup):  # type: ignore[misc]
    """A process group of the backend `rondo`, as init_process_group and new_group make it.

    `communicator` is its communicator in MPI. destroy_process_group, which all ranks call, frees
    it. The functions of torch.distributed call its other methods: those of all-to-all exchanges are
    Rondo's, and all others are those of a group of gloo.

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

    def __init__(self, communicator: MPI.Intracomm, store: Any, timeout: timedelta) -> None:
        super().__init__(communicator.rank, communicator.size)
        self.communicator = communicator_of(communicator)
        self._store, self._timeout, self._splits = store, timeout, 0  # for parts of it
        self._name = self._description = ""
        self._gloo = _THEIRS.ProcessGroupGloo(
            _THEIRS.PrefixStore("gloo", store), communicator.rank, communicator.size, timeout
        )

    def all_to_all_single(
        self,
        output: Tensor,
        input: Tensor,
        output_split_sizes: Sequence[int],
        input_split_sizes: Sequence[int],
        opts: object = None,
    ) -> Work | None:
        is_asynchronous = getattr(opts, "asyncOp", True)
        return exchanges.exchange_rows(
            communicator_of(self.communicator),
            output,
            input,
            output_split_sizes,
            input_split_sizes,
            is_asynchronous,
        )

    def alltoall(self, outputs: Tensors, inputs: Tensors, opts: object = None) -> Work | None:
        with torch.no_grad():
            return exchanges.all_to_all(outputs, inputs, self, async_op=True)

    # What split_group asks for.
    _device_types = [torch.device("cpu")]
    supports_splitting = True

    def split_group(self, ranks: Sequence[int], **options: Any) -> ProcessGroup | None:
        """The group of these ranks of this one, None on others. Collective over this one."""
        here = self.communicator.rank
        self._splits += 1
        color, key = (ranks[0], ranks.index(here)) if here in ranks else (MPI.UNDEFINED, 0)
        part: Any = self.communicator.Split(color, key)
        if part == MPI.COMM_NULL:
            return None
        if part.allreduce(part.size != len(ranks), MPI.LOR):
            raise ValueError(f"split_group: rank {here} is in several groups, or {ranks} differs")
        # gloo meets in the store, where ranks of another part or split must not be met. Names of
        # groups may differ between ranks.
        store = _THEIRS.PrefixStore(f"split {self._splits} {color}", self._store)
        group = ProcessGroup(part, store, options.get("timeout") or self._timeout)
        group.setGroupName(options.get("group_name") or "")
        group.setGroupDesc(options.get("group_desc") or "")
        return group

    alltoall_base = all_to_all_single  # its name before PyTorch 2.15

    def shutdown(self) -> None:
        """Complete what is under way, and free the communicator.

        destroy_process_group calls it on all ranks. After a wait that was in vain the communicator
        stays, and so do the tensors.
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
                f"{left} of its exchanges: their tensors and its communicator stay",
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


def _by_gloo(name: str) -> Callable[..., Any]:
    """A method that calls gloo's.

    If gloo were a backend of the base class, that would call it and hold Python's lock meanwhile,
    for which gloo's threads wait.
    """

    def call(self: ProcessGroup, *arguments: Any, **named: Any) -> Any:
        return getattr(self._gloo, name)(*arguments, **named)

    call.__name__ = name
    return call


for _name in _BY_GLOO:
    setattr(ProcessGroup, _name, _by_gloo(_name))


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
    if not dist.is_gloo_available():
        raise RuntimeError("the backend 'rondo' needs a PyTorch with gloo for other collectives")
    comm = world.Create_group(world.group.Incl(ranks)) if ranks else world.Dup()
    return ProcessGroup(comm, options.store, options.timeout)


def _place_in(options: Any) -> tuple[int, int]:
    return options.group_rank, options.group_size
