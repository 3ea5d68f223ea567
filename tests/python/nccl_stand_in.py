"""Ranks that are threads and exchange tensors by librondo_nccl, over stand-ins for CUDA and NCCL.

The tensors lie in the memory of the host, which plays that of GPUs: `RONDO_NCCL_STAND_IN` names the
library, which has stand-ins for the functions of CUDA and NCCL, too.
"""

import ctypes
import os
import threading
from contextlib import contextmanager, nullcontext
from ctypes import byref, c_int, c_long, c_size_t, c_void_p
from unittest import mock

import torch

import rondo
import rondo.torch
from rondo.torch import cuda, groups, nccl

FILE = os.environ.get("RONDO_NCCL_STAND_IN", "")
SECONDS = 60  # that anything may take


class Library(nccl.Library):
    """Each call lends its tensors to the stand-in as device memory."""

    def __init__(self, file=FILE):
        super().__init__(file)
        self.own = self._functions
        self.own.stand_in_things_held.restype = c_long
        for name in ("stand_in_lend", "stand_in_take_back"):
            getattr(self.own, name).argtypes = [c_void_p, c_size_t]

    @contextmanager
    def _lent(self, *pieces):
        pieces = [(address, nbytes) for address, nbytes in pieces if nbytes]
        for piece in pieces:
            self.own.stand_in_lend(*piece)
        try:
            yield
        finally:
            for piece in pieces:
                self.own.stand_in_take_back(*piece)

    def exchange(self, plan, comm, stream, send, sent, receive, arriving):
        with self._lent((send, sum(sent)), (receive, sum(arriving))):
            super().exchange(plan, comm, stream, send, sent, receive, arriving)

    def exchange_dynamic(
        self, plan, comm, stream, row_bytes, send, rows, counts, receive, room, counts_to, places_to
    ):
        each = 8 * Here.size
        numbers = [(counts, each), (counts_to, each), (places_to, each)]
        with self._lent((send, rows * row_bytes), (receive, room * row_bytes), *numbers):
            super().exchange_dynamic(
                plan, comm, stream, row_bytes, send, rows, counts, receive, room, counts_to,
                places_to,
            )  # fmt: skip

    def plan(self, comm, algorithm, *length):
        """With few thread blocks, which are threads of the host."""
        few = f"{algorithm}:blocks=2" if algorithm == "direct" else algorithm
        return super().plan(comm, few, *length)

    def launches(self):
        """What this rank has launched since it last asked."""
        numbers = (c_int * 4)()
        self.own.stand_in_launches(numbers)
        return dict(zip(("copies", "kernels", "groups", "graphs"), numbers))


class Here(threading.local):
    """What PyTorch knows of each thread."""

    size = 0  # of the ranks, for all threads
    stream = 0
    is_capturing = False


here = Here()


class Mark:
    def query(self):
        return True


class Cuda(cuda.Cuda):
    """All tensors are on one GPU."""

    def __init__(self):
        self.streams = []  # that were asked for
        self.followed = []
        self.ordered = []  # streams of which one follows the other

    def has(self, tensor):
        return isinstance(tensor, torch.Tensor)

    def load(self):
        return Library()

    def on(self, device):
        return nullcontext()

    def stream(self, device):
        self.streams.append(here.stream)
        return here.stream

    def is_capturing(self):
        return here.is_capturing

    def follow_stream(self, other, device):
        self.ordered.append((other, here.stream))
        return here.stream

    def require_working(self, device):
        pass

    def mark(self, device):
        return Mark()

    def follow(self, event, device):
        self.followed.append(event)


class Graph:
    """A stream of this rank, and the graph of CUDA that is captured from it."""

    def __init__(self):
        self._own = Library().own
        for name in ("cudaGraphExecDestroy", "cudaGraphDestroy", "cudaStreamDestroy"):
            getattr(self._own, name).argtypes = [c_void_p]
        self._stream, self._graph, self._ready = c_void_p(), c_void_p(), c_void_p()
        assert self._own.cudaStreamCreateWithFlags(byref(self._stream), 0) == 0

    @contextmanager
    def current(self):
        """Makes the stream the current one, and returns its handle."""
        here.stream = self._stream.value
        try:
            yield here.stream
        finally:
            here.stream = 0

    @contextmanager
    def captured(self):
        assert self._own.cudaStreamBeginCapture(self._stream, 1) == 0
        here.is_capturing = True
        try:
            with self.current():
                yield
        finally:
            here.is_capturing = False
            assert self._own.cudaStreamEndCapture(self._stream, byref(self._graph)) == 0
        self._own.cudaGraphInstantiate(byref(self._ready), self._graph, ctypes.c_ulonglong(0))

    def replay(self):
        assert self._own.cudaGraphLaunch(self._ready, c_void_p()) == 0

    def end(self):
        if self._graph:
            self._own.cudaGraphExecDestroy(self._ready)
            self._own.cudaGraphDestroy(self._graph)
        self._own.cudaStreamDestroy(self._stream)


class Rank:
    """One of the threads."""

    def __init__(self, rank, size, shared):
        self.rank, self.size = rank, size
        self._shared, self._barrier = shared
        self.group = rondo.Group(rank, size, allgather=self.gather, timeout=SECONDS)
        self._extra, self._graphs = [], []

    def gather(self, own):
        self._shared[self.rank] = own
        self._barrier.wait(SECONDS)
        everything = list(self._shared)
        self._barrier.wait(SECONDS)
        return everything

    def new_group(self, timeout=None):
        self._extra.append(self.own_group(timeout))
        return self._extra[-1]

    def own_group(self, timeout=None):
        """One that the test frees."""
        return rondo.Group(self.rank, self.size, allgather=self.gather, timeout=timeout)

    def held(self):
        """How much CUDA and NCCL hold for all ranks, while none makes or frees anything."""
        self.gather(None)
        count = Library().own.stand_in_things_held()
        self.gather(None)
        return count

    def graph(self):
        self._graphs.append(Graph())
        return self._graphs[-1]

    def end_graphs(self):
        while self._graphs:
            self._graphs.pop().end()

    def end(self):
        self.end_graphs()
        for group in (self.group, *self._extra):
            of_gpu = groups.ranks_of(group).of_gpu
            group.free()
            if getattr(of_gpu, "is_captured", False):  # its graphs are gone
                of_gpu.end()


def on_ranks(size, body, seam=None):
    """What body(rank) returns on each of the ranks. All end if one fails."""
    told, errors = [None] * size, []
    barrier = threading.Barrier(size)
    shared = [None] * size, barrier

    def run(number):
        try:
            rank = Rank(number, size, shared)
            told[number] = body(rank)
            rank.end()
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    Here.size = size
    with mock.patch.object(cuda, "CUDA", seam or Cuda()):
        threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(size)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(SECONDS)
            if one.is_alive() and not errors:
                raise AssertionError("a rank has not ended")
    if errors:
        raise errors[0]
    return told
