"""Record batches in Arrow's stream format, in blocks for all ranks.

A stream begins with the schema and the dictionaries. A rank writes a stream of its own, whose
record batches are the blocks for the ranks. Schema and dictionaries are the same on all ranks, so
a rank reads the blocks that it receives as if they continued the beginning of its own stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rondo._library import MPI
from rondo.arrow._library import pa
from rondo.arrow._refusals import Metadata
from rondo.exchange import alltoallv_dynamic

# Of these, blocks consist: Arrow aligns everything to 8 bytes. MPI counts them in 31 bits.
_WORD = np.dtype(np.int64)


class Stream(NamedTuple):
    """A stream, and where in it the blocks begin; the last entry is where the last block ends."""

    memory: pa.Buffer
    starts: list[int]


def written(
    empty: pa.RecordBatch, blocks: Sequence[Sequence[pa.RecordBatch]], metadata: Metadata = None
) -> Stream:
    """The stream of these blocks, each of several batches with these metadata.

    `empty` has the schema and the dictionaries.
    """
    measured = pa.MockOutputStream()
    starts = _write(measured, empty, blocks, metadata)
    memory = pa.allocate_buffer(measured.size())
    _write(pa.FixedSizeBufferWriter(memory), empty, blocks, metadata)
    return Stream(memory, starts)


def _write(
    sink: pa.NativeFile,
    empty: pa.RecordBatch,
    blocks: Sequence[Sequence[pa.RecordBatch]],
    metadata: Metadata,
) -> list[int]:
    """Write the stream. Returns where its blocks begin."""
    with pa.ipc.new_stream(sink, empty.schema) as stream:
        stream.write_batch(empty)
        starts = [sink.tell()]
        for block in blocks:
            for batch in block:
                stream.write_batch(batch, custom_metadata=metadata)
            starts.append(sink.tell())
    return starts


def exchange(
    comm: MPI.Intracomm, memory: pa.Buffer, starts: Sequence[int], ends: Sequence[int]
) -> list[pa.Buffer]:
    """Send every rank its part of the memory. Returns what each rank has sent, where it arrived."""
    words = np.frombuffer(memory, _WORD)
    first, last = (np.array(places, np.int64) // _WORD.itemsize for places in (starts, ends))
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

    def batches(self, block: pa.Buffer) -> Iterator[tuple[pa.RecordBatch, Metadata]]:
        """The batches in a block, with their metadata."""
        self._feed.give(block)
        while not self._feed.is_empty():
            yield self._stream.read_next_batch_with_custom_metadata()


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
