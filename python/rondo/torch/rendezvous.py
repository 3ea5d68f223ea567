"""Where the ranks of a program meet, and by what they exchange.

Under mpirun rank, world size and the address of the store are MPI's.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable
from urllib.parse import parse_qs, urlparse

from torch.distributed.constants import default_pg_timeout

if TYPE_CHECKING:
    from mpi4py import MPI

Meeting = Iterator[tuple[Any, int, int]]
"""The store, rank and world size."""

_DISTRIBUTED: Any = import_module("torch.distributed")
_THEIRS: Any = import_module("torch.distributed.rendezvous")

_OF_MPI_LAUNCHERS = ["OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK", "PALS_RANKID"]
"""Of their variables each process gets at least one."""


def register() -> None:
    """Make rondo:// an address of torch.distributed, and env:// MPI's where nothing else is set.

    For env:// PyTorch has no interface. Without its table of addresses only rondo:// is MPI's.
    """
    _THEIRS.register_rendezvous_handler("rondo", by_mpi)
    handlers = getattr(_THEIRS, "_rendezvous_handlers", {})
    if "env" in handlers:
        handlers["env"] = partial(_by_variables_or_mpi, handlers["env"])


def by_mpi(url: str, timeout: timedelta = default_pg_timeout, **_: Any) -> Meeting:
    """Meet at a store of rank 0. Collective over all ranks of MPI."""
    world = _mpi().COMM_WORLD
    host = _host_of_first(world)
    store, fault = _opened(host, timeout) if world.rank == 0 else (None, "")
    port, fault = world.bcast((store and store.port, fault))
    if fault:
        raise RuntimeError(f"rank 0 cannot open a store at {host}: {fault}")
    store = store or _THEIRS.TCPStore(host, port, world.size, False, timeout)
    yield store, world.rank, world.size
    raise RuntimeError("the ranks of MPI meet once")


def is_by_mpi(rank: int, size: int) -> bool:
    """Whether the processes of torch.distributed, of which this has that rank, are those of MPI."""
    if not _is_launched_by_mpi():
        return False
    world = _mpi().COMM_WORLD
    if (world.rank, world.size) == (rank, size):
        return True
    if world.size == 1:  # another launcher's, with variables of MPI
        return False
    raise ValueError(
        f"torch.distributed has rank {rank} of {size}, but MPI has rank {world.rank} of "
        f"{world.size}: start the program with mpirun, and name no rank and no world_size"
    )


def _mpi() -> Any:
    return import_module("rondo._library").MPI


def _is_launched_by_mpi() -> bool:
    """torchrun may itself have been started by mpirun, on each node."""
    if "TORCHELASTIC_RUN_ID" in os.environ:
        return False
    loaded = sys.modules.get("mpi4py.MPI")
    return (loaded is not None and loaded.COMM_WORLD.size > 1) or any(
        name in os.environ for name in _OF_MPI_LAUNCHERS
    )


def _by_variables_or_mpi(theirs: Callable[..., Meeting], url: str, **settings: Any) -> Meeting:
    """PyTorch's own way where a launcher of PyTorch, or the program, has named a rank."""
    named = {*os.environ, *(name.upper() for name in parse_qs(urlparse(url).query))}
    if named & {"RANK", "WORLD_SIZE"}:
        return theirs(url, **settings)
    try:
        world = _mpi().COMM_WORLD
    except ImportError:
        if "MASTER_ADDR" in named:
            return theirs(url, **settings)
        return iter([(_DISTRIBUTED.HashStore(), 0, 1)])
    if world.size == 1 and "MASTER_ADDR" in named:
        return theirs(url, **settings)
    return by_mpi(url, **settings)


def _host_of_first(world: MPI.Intracomm) -> str:
    """The name by which all ranks reach rank 0; MASTER_ADDR is another."""
    names = world.allgather(_mpi().Get_processor_name())
    known = "localhost" if len(set(names)) == 1 else socket.gethostname()
    return str(world.bcast(os.environ.get("MASTER_ADDR", known)))


def _opened(host: str, timeout: timedelta) -> tuple[Any, str]:
    """The store of rank 0, or why there is none."""
    try:
        port = int(os.environ.get("MASTER_PORT", "0"))
        size = _mpi().COMM_WORLD.size
        return _THEIRS.TCPStore(host, port, size, True, timeout, wait_for_workers=False), ""
    except (RuntimeError, ValueError) as error:
        return None, str(error)
