"""The ranks of process groups and communicators."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Union

import torch.distributed as dist

import rondo
from rondo.torch.over_group import OverGroup
from rondo.torch.ranks import CPU, Ranks

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Group"]

Group = Union["MPI.Comm", rondo.Group, dist.ProcessGroup, None]
"""Whose ranks exchange: a communicator of mpi4py, a rondo.Group, or a process group of the backend
`rondo`. None stands for the default process group or, if there is none, for all ranks of MPI."""


def ranks_of(group: Group) -> Ranks:
    """The ranks of a group, set up so that exchanges can start. Collective."""
    if group is None and dist.is_initialized():
        group = dist.group.WORLD
    if isinstance(group, dist.ProcessGroup):
        return ranks_in(group)
    if isinstance(group, rondo.Group):
        return ranks_of_own(group)
    if group is not None and "mpi4py.MPI" not in sys.modules:
        raise _refusal(type(group).__name__)  # it can be no communicator
    over_mpi = _over_mpi()
    comm = over_mpi.MPI.COMM_WORLD if group is None else group
    if not isinstance(comm, over_mpi.MPI.Comm):
        raise _refusal(type(group).__name__)
    ranks: Ranks = over_mpi.ranks_of(comm)
    return ranks


@cache
def _over_mpi() -> Any:
    return import_module("rondo.torch.over_mpi")


def ranks_of_own(group: rondo.Group) -> OverGroup:
    ranks: OverGroup | None = group._of_tensors
    if ranks is None:
        ranks = group._of_tensors = OverGroup(group)
    return ranks


def ranks_in(group: Any) -> Ranks:
    """Those of a process group, or of what it uses for tensors on CPUs, until it is destroyed."""
    ranks: Ranks | None = getattr(group, "ranks", None)
    if ranks is not None:
        return ranks
    try:
        ranks = group._get_backend(CPU).ranks
    except (RuntimeError, AttributeError):
        raise _refusal(dist.get_backend(group)) from None
    if ranks is None:
        raise RuntimeError("the process group was destroyed")
    return ranks


def _refusal(kind: str) -> TypeError:
    return TypeError(
        "group: expecting a communicator of mpi4py, a rondo.Group or a process group of the "
        f"backend 'rondo', got {kind!r}"
    )
