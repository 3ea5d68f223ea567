"""The backend `rondo` of torch.distributed: all-to-all by Rondo, everything else by gloo."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable

import torch
import torch.distributed as dist

from rondo.torch import exchanges, groups, rendezvous
from rondo.torch.ranks import Ranks
from rondo.torch.store import group_at
from rondo.torch.work import Work

if TYPE_CHECKING:
    from mpi4py import MPI

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

_BACKEND: Any = import_module("torch._C._distributed_c10d").Backend
"""Python may have backends of its own from PyTorch 2.15 on."""


class _Exchanges:
    """What a process group and a backend of one have in common."""

    def __init__(self, ranks: Ranks, gloo: Any, store: Any, timeout: timedelta) -> None:
        super().__init__(ranks.rank, ranks.size)  # type: ignore[call-arg]
        self.ranks: Ranks | None = ranks
        self.communicator: MPI.Intracomm | None = getattr(ranks, "comm", None)
        self._gloo = gloo
        self._store, self._timeout = store, timeout  # for parts of it

    def all_to_all_single(
        self,
        output: Tensor,
        input: Tensor,
        output_split_sizes: Sequence[int],
        input_split_sizes: Sequence[int],
        opts: object = None,
    ) -> Work | None:
        ranks = groups.ranks_in(self)
        splits = output_split_sizes, input_split_sizes
        is_asynchronous = getattr(opts, "asyncOp", True)
        return exchanges.exchange_rows(ranks, output, input, *splits, is_asynchronous)

    alltoall_base = all_to_all_single  # its name before PyTorch 2.15

    def alltoall(self, outputs: Tensors, inputs: Tensors, opts: object = None) -> Work | None:
        with torch.no_grad():
            return exchanges.exchange_lists(groups.ranks_in(self), outputs, inputs, async_op=True)

    def shutdown(self) -> None:
        """Complete what is under way, and free the group.

        destroy_process_group calls it. After a wait that was in vain a communicator stays, and so
        do the tensors.
        """
        ranks, self.ranks, self.communicator = self.ranks, None, None
        left = 0 if ranks is None else ranks.free()
        if left > 0:
            warnings.warn(
                "a group is destroyed, and other ranks have not taken part in "
                f"{left} of its exchanges: their tensors and its communicator stay",
                stacklevel=2,
            )

    def getBackendName(self) -> str:  # noqa: N802
        return "rondo"


class ProcessGroup(_Exchanges, _THEIRS.ProcessGroup):  # type: ignore[misc]
    """A process group of the backend `rondo`, as init_process_group and new_group make it.

    Under mpirun `communicator` is its communicator in MPI, and all ranks call
    destroy_process_group, which frees it. Elsewhere it is None. The functions of torch.distributed
    call its other methods: those of all-to-all exchanges are Rondo's, and all others are those of a
    group of gloo.

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

    def __init__(self, ranks: Ranks, gloo: Any, store: Any, timeout: timedelta) -> None:
        super().__init__(ranks, gloo, store, timeout)
        self._splits = 0
        self._name = self._description = ""

    # What split_group asks for.
    _device_types = [torch.device("cpu")]
    supports_splitting = True

    def split_group(self, ranks: Sequence[int], **options: Any) -> ProcessGroup | None:
        """The group of these ranks of this one, None on others. Collective over this one."""
        self._splits += 1
        place = ranks.index(self.rank()) if self.rank() in ranks else None
        timeout = options.get("timeout") or self._timeout
        # They meet in the store, where ranks of another part or split must not be met. Names of
        # groups may differ between ranks.
        store = _THEIRS.PrefixStore(f"split {self._splits} {ranks[0]}", self._store)
        if self.communicator is not None:
            part = _part_of(self.communicator, ranks, place)
            group = None if part is None else _group_over_mpi(ProcessGroup, part, store, timeout)
        elif place is not None:
            group = _group_over_store(ProcessGroup, place, len(ranks), store, timeout)
        else:
            group = None
        if group is not None:
            group.setGroupName(options.get("group_name") or "")
            group.setGroupDesc(options.get("group_desc") or "")
        return group

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


class BackendOfCpus(_Exchanges, _BACKEND):  # type: ignore[misc]
    """One of several backends of PyTorch's process group, as in "cpu:rondo,cuda:nccl"."""

    def all_to_all_single(self, *arguments: Any) -> Work | None:
        return super().all_to_all_single(*arguments[:4])  # a work in any case: PyTorch waits for it


def _by_gloo(name: str) -> Callable[..., Any]:
    """A method that calls gloo's.

    If gloo were a backend of the base class, that would call it and hold Python's lock meanwhile,
    for which gloo's threads wait.
    """

    def call(self: _Exchanges, *arguments: Any, **named: Any) -> Any:
        return getattr(self._gloo, name)(*arguments, **named)

    call.__name__ = name
    return call


for _name in _BY_GLOO:
    setattr(_Exchanges, _name, _by_gloo(_name))


def register() -> None:
    """Make the backend known to torch.distributed.

    PyTorch's recorder of collectives needs a backend in C++, and leaves out those of this set.
    """
    left_out: set[str] = getattr(dist.distributed_c10d, "_FR_SELF_RECORDING_BACKENDS", set())
    left_out.add("rondo")
    dist.Backend.register_backend("rondo", _create, extended_api=True, devices=["cpu"])
    rendezvous.register()


def _create(options: Any, _: object = None) -> Any:
    """A group of all ranks or of some. Collective over them."""
    if not dist.is_gloo_available():
        raise RuntimeError("the backend 'rondo' needs a PyTorch with gloo for other collectives")
    rank, size, ranks = options.group_rank, options.group_size, options.global_ranks_in_group
    whole = (dist.get_rank(), dist.get_world_size()) if ranks else (rank, size)
    kind = BackendOfCpus if _is_one_of_several(options) else ProcessGroup
    if not rendezvous.is_by_mpi(*whole):
        return _group_over_store(kind, rank, size, options.store, options.timeout)
    world = import_module("mpi4py.MPI").COMM_WORLD
    comm = world.Create_group(world.group.Incl(ranks)) if ranks else world.Dup()
    return _group_over_mpi(kind, comm, options.store, options.timeout)


def _is_one_of_several(options: Any) -> bool:
    """PyTorch's group then has one that it knows as its first."""
    group = getattr(options, "process_group", None)
    return group is not None and group.name() != "custom"


def _gloo_at(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    return _THEIRS.ProcessGroupGloo(_THEIRS.PrefixStore("gloo", store), rank, size, timeout)


def _group_over_mpi(kind: Any, comm: MPI.Intracomm, store: Any, timeout: timedelta) -> Any:
    gloo = _gloo_at(store, comm.rank, comm.size, timeout)
    ranks = import_module("rondo.torch.over_mpi").ranks_of(comm)
    ranks.patience = timeout.total_seconds()
    return kind(ranks, gloo, store, timeout)


def _group_over_store(kind: Any, rank: int, size: int, store: Any, timeout: timedelta) -> Any:
    gloo = _gloo_at(store, rank, size, timeout)
    own = group_at(_THEIRS.PrefixStore("rondo", store), rank, size, gloo, timeout)
    return kind(groups.ranks_of_own(own), gloo, store, timeout)


def _part_of(comm: MPI.Intracomm, ranks: Sequence[int], place: int | None) -> MPI.Intracomm | None:
    """The communicator of these ranks, None on others. Collective over `comm`."""
    mpi = import_module("mpi4py.MPI")
    color, key = (mpi.UNDEFINED, 0) if place is None else (ranks[0], place)
    part: Any = comm.Split(color, key)
    if part == mpi.COMM_NULL:
        return None
    if part.allreduce(part.size != len(ranks), mpi.LOR):
        raise ValueError(f"split_group: rank {comm.rank} is in several groups, or {ranks} differs")
    found: MPI.Intracomm = part
    return found
