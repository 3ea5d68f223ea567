"""Two ranks that start anew: groups.py random spawn|forkserver SEED, groups.py end PER_NODE"""

import random
import sys
import threading
import time
from contextlib import suppress

import numpy as np
from group_support import on_ranks

import rondo

TYPES = ["u1", "<i2", "<f4", "<c16", "?"]


def lengths_drawn(drawn, size):
    """Row s, column d: how many elements rank s sends to rank d; the same on all ranks."""
    longest = drawn.choice([0, 1, 7, 300, 20000])
    return [[drawn.choice([0, longest, drawn.randint(0, longest)]) for _ in range(size)]
            for _ in range(size)]  # fmt: skip


def elements(source, destination, length, dtype):
    return (source * 31 + destination * 7 + np.arange(length)).astype(dtype)


def joined(blocks, dtype, gaps):
    """The blocks in one array, with gaps before them, their lengths, and where they begin."""
    parts, starts, place = [], [], 0
    for block, gap in zip(blocks, gaps):
        parts += [np.zeros(gap, dtype), block]
        starts.append(place + gap)
        place += gap + len(block)
    return np.concatenate(parts), [len(block) for block in blocks], starts


def exchange_at_random(rank, drawn_from):
    drawn = random.Random(drawn_from)
    with rank.group() as group:
        assert (group.rank, group.size) == (rank.rank, rank.size)
        for _ in range(12):
            table, dtype = lengths_drawn(drawn, rank.size), drawn.choice(TYPES)
            gaps = [drawn.choice([0, 3]) for _ in range(rank.size)]
            ranks = range(rank.size)
            sent = [elements(rank.rank, to, table[rank.rank][to], dtype) for to in ranks]
            due = [elements(of, rank.rank, table[of][rank.rank], dtype) for of in ranks]
            send, counts, starts = joined(sent, dtype, gaps)
            expected, counts_due, places = joined(due, dtype, gaps)
            recv = np.zeros_like(expected)
            group.alltoallv([send, (counts, np.array(starts))], [recv, (counts_due, places)])
            np.testing.assert_array_equal(recv, expected)
            send, counts, _ = joined(sent, dtype, [0] * rank.size)
            came = group.alltoallv_dynamic((send, tuple(counts)))
            assert came.data.dtype == np.dtype(dtype) and came.counts.tolist() == counts_due
            np.testing.assert_array_equal(came.data, np.concatenate(due))
            assert came.displs.tolist() == np.cumsum([0, *counts_due])[:-1].tolist()
            length = table[0][0]
            send = np.concatenate([elements(rank.rank, to, length, dtype) for to in ranks])
            recv = np.zeros_like(send)
            group.alltoall(send, recv)
            due = [elements(of, rank.rank, length, dtype) for of in ranks]
            np.testing.assert_array_equal(recv, np.concatenate(due))


class FailingMessages:
    """They cannot be sent."""

    cancelled = 0

    def send(self, data, destination, tag):
        raise ConnectionError(f"no way to rank {destination}")

    def receive(self, data, source, tag):
        return data

    def test(self, message):
        return False

    def cancel(self, message):
        self.cancelled += 1


class NeverComplete(FailingMessages):
    def send(self, data, destination, tag):
        return data

    receive = send


def end_amid_an_exchange(rank):
    """Python ends while a thread is in an exchange, which ends before the process does.

    With messages the thread itself wants Python's lock.
    """
    where = {"messages": NeverComplete(), "node": str(rank.rank)} if rank.per_node else {}
    group = rondo.Group(rank.rank, 2, allgather=rank.allgather, timeout=0.5, **where)

    def exchange():
        with suppress(rondo.GroupError):
            group.alltoall(np.zeros(2), np.zeros(2))

    if rank.rank == 0:
        threading.Thread(target=exchange, daemon=True).start()
        time.sleep(0.1)
        sys.slow_end = SlowEnd()


class SlowEnd:
    """One of the last objects, long after no thread can get Python's lock any more."""

    def __del__(self, sleep=time.sleep):
        sleep(1)


if __name__ == "__main__":
    case, *words = sys.argv[1:]
    if case == "random":
        on_ranks(exchange_at_random, 2, words[1], start=words[0])
    else:
        on_ranks(end_amid_an_exchange, 2, per_node=int(words[0]), start="spawn")
