"""Record batches in Arrow's stream format, in blocks for all ranks.

A stream begins with the schema and the dictionaries. A rank writes a stream of its own, whose
record batches are the blocks for the ranks. Schema and dictionaries are the same on all ranks, so
a rank reads the blocks that it receives as if they continued the beginning of its own stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rondo.arrow._library import pa
from rondo.arrow._ranks import Ranks, alltoallv_dynamic

# Of these, blocks consist: Arrow aligns everything to 8 bytes. MPI counts them in 31 bits.
_WORD = np.dtype(np.int64)


class Stream(NamedTuple):
    """Memory, and where in it the block for each rank begins and ends."""

    memory: pa.Buffer
    starts: Sequence[int]
    ends: Sequence[int]


def to_all(memory: pa.Buffer, ranks: int) -> Stream:
    """All ranks get the whole memory as their block."""
    return Stream(memory, [0] * ranks, [memory.size] * ranks)


def written(empty: pa.RecordBatch, blocks: Sequence[Sequence[pa.RecordBatch]]) -> Stream:
    """The stream of these blocks, each of several batches.

    `empty` has the schema and the dictionaries.
    """
    measured = pa.MockOutputStream()
    places = _write(measured, empty, blocks)
    memory = pa.allocate_buffer(measured.size())
    _write(pa.FixedSizeBufferWriter(memory), empty, blocks)
    return Stream(memory, places[:-1], places[1:])


def _write(
    sink: pa.NativeFile, empty: pa.RecordBatch, blocks: Sequence[Sequence[pa.RecordBatch]]
) -> list[int]:
    """Write the stream. Returns where its blocks begin, and where the last one ends."""
    with pa.ipc.new_stream(sink, empty.schema) as stream:
        stream.write_batch(empty)
        places = [sink.tell()]
        for block in blocks:
            for batch in block:
                stream.write_batch(batch)
            places.append(sink.tell())
    return places


def exchange(comm: Ranks, stream: Stream) -> list[pa.Buffer]:
    """Send every rank its block. Returns what each rank has sent, where it arrived."""
    words = np.frombuffer(stream.memory, _WORD)
    first, last = (
        np.array(places, np.int64) // _WORD.itemsize for places in (stream.starts, stream.ends)
    )
    received = alltoallv_dynamic(comm, (words, (last - first, first)))
    arrived = pa.py_buffer(received.data)
    return [
        arrived.slice(displ, length)
        for displ, length in zip(
            (received.displs * _WORD.itemsize).tolist(),
            (received.counts * _WORD.itemsize).tolist(),
        )
    ]


class Reader:
    """Reads blocks that continue the beginning of a stream. The batches use the blocks' memory."""

    def __init__(self, beginning: pa.Buffer) -> None:
        self._feed = _Feed(beginning)
        self._stream = pa.ipc.open_stream(self._feed)
        self._stream.read_next_batch()  # the one without rows

    def batches(self, block: pa.Buffer) -> Iterator[pa.RecordBatch]:
        """The batches in a block."""
        self._feed.give(block)
        while not self._feed.is_empty():
            yield self._stream.read_next_batch()


class _Feed:
    """A file for Arrow, which reads one block after the other from it without a copy."""

    closed = False

    def __init__(self, block: pa.Buffer) -> None:
        self.give(block)

    def give(self, block: pa.Buffer) -> None:
        self._block, self._place = block, 0

    def is_empty(self) -> bool:
        return bool(self._place >= self._block.size)

    def read(self, size: int) -> pa.Buffer:
        part = self._block.slice(self._place, size)
        self._place += part.size
        return part
