"""Random exchanges of two ranks that multiprocessing starts: groups.py spawn|forkserver SEED"""

import random
import sys

import numpy as np
from group_support import on_ranks

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


if __name__ == "__main__":
    on_ranks(exchange_at_random, 2, sys.argv[2], start=sys.argv[1])
