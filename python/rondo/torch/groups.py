"""The communicators of process groups."""

from __future__ import annotations

from typing import Union

import torch.distributed as dist

import rondo
from rondo._library import MPI

__all__ = ["Group"]

Group = Union[MPI.Comm, dist.ProcessGroup, None]
"""Whose ranks exchange: a communicator of mpi4py, or a process group of the backend `rondo`. None
stands for the default process group or, if there is none, for all ranks of MPI."""

_PREPARED = MPI.Comm.Create_keyval()


def communicator_of(group: Group) -> MPI.Comm:
    """The communicator of a group, set up so that exchanges can start on it. Collective."""
    if isinstance(group, MPI.Comm):
        comm = group
    elif group is None and not dist.is_initialized():
        comm = MPI.COMM_WORLD
    else:
        comm = _communicator_in(dist.group.WORLD if group is None else group)
    if comm.Get_attr(_PREPARED) is None:
        rondo.prepare(comm)
        comm.Set_attr(_PREPARED, True)
    return comm


def _communicator_in(group: object) -> MPI.Comm:
    comm = getattr(group, "communicator", None)
    if isinstance(comm, MPI.Comm):
        return comm
    kind = dist.get_backend(group) if isinstance(group, dist.ProcessGroup) else type(group).__name__
    raise TypeError(
        f"group: expecting a communicator of mpi4py or a process group of the backend 'rondo', got "
        f"{kind!r}"
    )
