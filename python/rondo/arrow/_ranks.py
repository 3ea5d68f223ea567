"""The ranks over which a table is spread: those of MPI, or those of a rondo.Group."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Union

from rondo.group import Group
from rondo.received import Received

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Ranks", "alltoallv_dynamic", "require_ranks"]

Ranks = Union["MPI.Intracomm", Group]


def require_ranks(ranks: object) -> None:
    """Raise a TypeError for anything else."""
    if not isinstance(ranks, Group):
        mpi = import_module("rondo._library")
        mpi.handle_of(ranks, mpi.MPI.Intracomm)


def alltoallv_dynamic(ranks: Ranks, send: tuple[Any, Any]) -> Received:
    """Exchange blocks of any lengths. Collective."""
    if isinstance(ranks, Group):
        return ranks.alltoallv_dynamic(send)
    received: Received = import_module("rondo.exchange").alltoallv_dynamic(ranks, send)
    return received
