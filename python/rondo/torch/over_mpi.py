"""Exchanges of tensors on a communicator of MPI."""

from __future__ import annotations

import atexit
from functools import cache
from threading import Event, Thread
from time import sleep

import torch

import rondo
from rondo._library import MPI, _mpi, handle_of
from rondo.requests import Request
from rondo.torch.blocks import Blocks
from rondo.torch.ranks import OnHost, Rows
from rondo.torch.work import Underway

_MOST = 2**31 - 1  # that an int can count

_TYPES = {1: MPI.BYTE, 2: MPI.UINT16_T, 4: MPI.UINT32_T, 8: MPI.UINT64_T}
_HANDLES = {unit: handle_of(kind, MPI.Datatype) for unit, kind in _TYPES.items()}


def _end(comm: MPI.Comm, keyval: int, ranks: object) -> None:
    """The communicator is freed, as by all of its ranks."""
    if isinstance(ranks, OverMpi):
        ranks.free_of_gpu()
        ranks.comm = MPI.COMM_NULL  # another object may have freed it


_RANKS = MPI.Comm.Create_keyval(delete_fn=_end)


class OverMpi(OnHost):
    """The ranks of a communicator."""

    def __init__(self, comm: MPI.Comm) -> None:
        """Collective: set it up, so that exchanges can start on it."""
        super().__init__()
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        rondo.prepare(comm)

    def exchange_rows(self, rows: Rows) -> list[int] | None:
        return _mpi.exchange_rows(self.comm, *rows)

    def start(self, sent: Blocks, received: Blocks) -> _Started:
        unit = _unit(sent, max(sent.nbytes, received.nbytes))
        started = _Started(self.comm, sent, received, unit)
        _progress().begin()
        return started

    def arrive(self, sent: Blocks) -> tuple[torch.Tensor, list[int]]:
        unit = _unit(sent, sent.nbytes)
        handle, outgoing = handle_of(self.comm, MPI.Comm), _side("send", sent, unit)
        started = _mpi.ialltoallv_dynamic(handle, outgoing, _HANDLES[unit], unit)
        Request(started, sent, outgoing).wait()
        data, counts, _ = started.release()
        return torch.from_numpy(data), (counts * unit).tolist()

    def take_part(self) -> None:
        wrong = _mpi.Side.packed("send", [-1] * self.size, 1, _HANDLES[1], 0, 0)
        handle = handle_of(self.comm, MPI.Comm)
        Request(_mpi.ialltoallv_dynamic_into(handle, wrong, wrong), wrong).wait()

    def free(self) -> int:
        """Free a communicator that belongs to these ranks.

        MPI libraries may go on with what is under way, and must not find it gone.
        """
        if self.comm == MPI.COMM_NULL or MPI.Is_finalized():
            return 0
        left = Underway.complete_all_of(self)
        if left == 0:
            self.free_of_gpu()
            self.comm.Free()
        return left


class _Started:
    """An exchange. It keeps the memory alive until it is complete."""

    def __init__(self, comm: MPI.Comm, sent: Blocks, received: Blocks, unit: int) -> None:
        outgoing, incoming = _side("send", sent, unit), _side("receive", received, unit)
        handle = handle_of(comm, MPI.Comm)
        self._incoming, self._unit = incoming, unit
        self._exchange = _mpi.ialltoallv_dynamic_into(handle, outgoing, incoming)
        request = Request(self._exchange, sent, received, outgoing, incoming)
        self.test, self.wait = request.test, request.wait

    def came(self) -> list[int] | None:
        counts = self._exchange.unexpected(self._incoming)
        return None if counts is None else [count * self._unit for count in counts]


def ranks_of(comm: MPI.Comm) -> OverMpi:
    """The ranks of a communicator, which is set up the first time. Collective."""
    ranks = comm.Get_attr(_RANKS)
    if not isinstance(ranks, OverMpi):
        ranks = OverMpi(comm)
        comm.Set_attr(_RANKS, ranks)
    return ranks


def _side(name: str, blocks: Blocks, unit: int) -> _mpi.Side:
    """The side of an exchange whose counts count `unit` bytes. It keeps no memory alive."""
    elements, memory = blocks.row_bytes // unit, blocks.memory
    return _mpi.Side.packed(
        name, blocks.sizes, elements, _HANDLES[unit], memory.data_ptr(), memory.nbytes
    )


def _unit(sent: Blocks, most: int) -> int:
    """How many bytes the counts of an exchange count, if no rank has more than `most` of them."""
    return 1 if most <= _MOST else min(sent.memory.element_size(), 8)


class _Progress:
    """Lets exchanges go on while the program does something else, such as to wait for gloo.

    By a thread, which needs MPI.THREAD_MULTIPLE, the default of mpi4py. Without it they go on in
    calls of Rondo only. What completes soon is never looked at.
    """

    _PAUSE = 5e-4  # seconds between two looks
    _IDLE = 200  # looks in vain until the thread sleeps

    def __init__(self) -> None:
        self._wanted = Event()
        self._is_over = False
        self._thread: Thread | None = None
        if MPI.Query_thread() >= MPI.THREAD_MULTIPLE:
            self._thread = Thread(target=self._run, name="rondo.torch", daemon=True)
            self._thread.start()
            atexit.register(self._end)  # before MPI ends

    def begin(self) -> None:
        """Something is outstanding."""
        if self._thread is None:
            self._look()
        elif not self._wanted.is_set():
            self._wanted.set()

    def _run(self) -> None:
        while self._wanted.wait() and not self._is_over:
            self._wanted.clear()
            in_vain = 0
            while in_vain < self._IDLE and not self._is_over:
                sleep(self._PAUSE)
                in_vain = 0 if Underway.outstanding else in_vain + 1
                self._look()

    def _look(self) -> None:
        if not MPI.Is_finalized():
            Underway.look()

    def _end(self) -> None:
        self._is_over = True
        self._wanted.set()
        assert self._thread is not None
        self._thread.join()


_progress = cache(_Progress)
"""Of this process, from its first work on."""

_mpi.keep(Underway.outstanding)  # its memory is in use, also in MPI_Finalize
