"""Where the ranks of a program meet: rank, world size and the address of the store are MPI's."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any, Callable
from urllib.parse import parse_qs, urlparse

from torch.distributed.constants import default_pg_timeout

from rondo._library import MPI

Meeting = Iterator[tuple[Any, int, int]]
"""The store, rank and world size."""

_THEIRS: Any = import_module("torch.distributed.rendezvous")


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
    world = MPI.COMM_WORLD
    host = _host_of_first(world)
    store, fault = _opened(host, timeout) if world.rank == 0 else (None, "")
    port, fault = world.bcast((store and store.port, fault))
    if fault:
        raise RuntimeError(f"rank 0 cannot open a store at {host}: {fault}")
    store = store or _THEIRS.TCPStore(host, port, world.size, False, timeout)
    yield store, world.rank, world.size
    raise RuntimeError("the ranks of MPI meet once")


def _by_variables_or_mpi(theirs: Callable[..., Meeting], url: str, **settings: Any) -> Meeting:
    """PyTorch's own way where a launcher of PyTorch, or the program, has named a rank."""
    named = {*os.environ, *(name.upper() for name in parse_qs(urlparse(url).query))}
    is_alone = MPI.COMM_WORLD.size == 1 and "MASTER_ADDR" in named
    if is_alone or named & {"RANK", "WORLD_SIZE"}:
        return theirs(url, **settings)
    return by_mpi(url, **settings)


def _host_of_first(world: MPI.Intracomm) -> str:
    """The name by which all ranks reach rank 0; MASTER_ADDR is another."""
    names = world.allgather(MPI.Get_processor_name())
    known = "localhost" if len(set(names)) == 1 else socket.gethostname()
    return str(world.bcast(os.environ.get("MASTER_ADDR", known)))


def _opened(host: str, timeout: timedelta) -> tuple[Any, str]:
    """The store of rank 0, or why there is none."""
    try:
        port = int(os.environ.get("MASTER_PORT", "0"))
        size = MPI.COMM_WORLD.size
        return _THEIRS.TCPStore(host, port, size, True, timeout, wait_for_workers=False), ""
    except (RuntimeError, ValueError) as error:
        return None, str(error)
