"""Processes that are the ranks of groups: they gather in memory, and send messages by sockets."""

import json
import multiprocessing
import socket
import struct
import traceback
from collections import defaultdict
from pathlib import Path

import rondo

HEADER = struct.Struct("qq")  # tag, length
MOST = 4096  # bytes of a rank that are gathered
SECONDS = 30  # that anything may take


class Wire:
    """Messages between each two ranks by a socket, in the order in which they are sent."""

    def __init__(self, peers):
        self._peers = peers  # a socket, or None for this rank
        self._unsent = [bytearray() for _ in peers]
        self._unread = [bytearray() for _ in peers]
        self._arrived = defaultdict(list)
        for peer in filter(None, peers):
            peer.setblocking(False)

    def send(self, data, destination, tag):
        self._unsent[destination] += HEADER.pack(tag, len(data)) + data
        return destination, None, None

    def receive(self, data, source, tag):
        return source, data, tag

    def test(self, message):
        for rank, peer in enumerate(self._peers):
            if peer:
                self._move(rank, peer)
        rank, data, tag = message
        if data is None:
            return not self._unsent[rank]
        if not self._arrived[rank, tag]:
            return False
        came = self._arrived[rank, tag].pop(0)
        data[: len(came)] = came
        return True

    def cancel(self, message):
        pass

    def _move(self, rank, peer):
        try:
            if self._unsent[rank]:
                del self._unsent[rank][: peer.send(self._unsent[rank])]
            self._unread[rank] += peer.recv(1 << 20)
        except BlockingIOError:
            pass
        unread = self._unread[rank]
        while len(unread) >= HEADER.size:
            tag, length = HEADER.unpack_from(unread)
            end = HEADER.size + length
            if len(unread) < end:
                break
            self._arrived[rank, tag].append(bytes(unread[HEADER.size : end]))
            del unread[:end]


class Rank:
    """One of the processes."""

    def __init__(self, rank, memory, barrier, peers, per_node):
        self.rank, self.size = rank, barrier.parties
        self._memory, self._barrier, self._peers, self.per_node = memory, barrier, peers, per_node

    def allgather(self, own):
        first, length = self.rank * MOST, len(own)
        self._memory[first : first + length] = own
        self._barrier.wait(SECONDS)
        all_of_them = [
            bytes(self._memory[rank * MOST : rank * MOST + length]) for rank in range(self.size)
        ]
        self._barrier.wait(SECONDS)
        return all_of_them

    def group(self, timeout=SECONDS):
        """Over several nodes if there are more ranks than one has."""
        where = {}
        if self.per_node:
            where = {"messages": Wire(self._peers), "node": f"node {self.rank // self.per_node}"}
        return rondo.Group(self.rank, self.size, allgather=self.allgather, timeout=timeout, **where)


def on_ranks(body, ranks, *arguments, per_node=0, start="fork", killed=None):
    """What body(rank, *arguments) returns on each rank. It must be what JSON can tell.

    Processes that are spawned end as Python does.
    """
    context = multiprocessing.get_context(start)
    memory, barrier = context.RawArray("B", MOST * ranks), context.Barrier(ranks)
    pairs = {(i, j): socket.socketpair() for i in range(ranks) for j in range(i) if per_node}
    peers = [
        [pairs[i, j][0] if (i, j) in pairs else pairs[j, i][1] if (j, i) in pairs else None
         for j in range(ranks)]
        for i in range(ranks)
    ]  # fmt: skip
    ends = [context.Pipe(duplex=False) for _ in range(ranks)]
    processes = [
        context.Process(
            target=_run,
            args=(
                body,
                Rank(rank, memory, barrier, peers[rank], per_node),
                ends[rank][1],
                arguments,
            ),
        )
        for rank in range(ranks)
    ]
    for one in processes:
        one.start()
    for _, end in ends:
        end.close()
    told = [_told_by(end) for end, _ in ends]
    for one, ended in zip(processes, told):
        one.join(SECONDS)
        if one.is_alive():
            one.kill()
            raise AssertionError("a rank has not ended")
        if one.exitcode != 0:  # after its answer
            ended.setdefault("error", f"ends with {one.exitcode}")
    errors = [f"rank {rank}: {one['error']}" for rank, one in enumerate(told)
              if "error" in one and rank != killed]  # fmt: skip
    assert not errors, "\n".join(errors)
    return [one.get("is") for one in told]


def in_shared_memory():
    return {path for path in Path("/dev/shm").iterdir() if "rondo" in path.name}


def _run(body, rank, end, arguments):
    try:
        told = {"is": body(rank, *arguments)}
    except BaseException:
        told = {"error": traceback.format_exc()}
    end.send_bytes(json.dumps(told).encode())


def _told_by(end):
    if not end.poll(2 * SECONDS):
        return {"error": "has not answered"}
    try:
        return json.loads(end.recv_bytes())
    except EOFError:
        return {"error": "has died"}
