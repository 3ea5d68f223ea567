"""What the ranks agree on before rows travel: the schema, the dictionaries, the number of slices.

Every rank sends all ranks its table without rows, which has all of that, or the reason why it has
no table. Every rank then knows the same, and finds the same result or the same error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rondo._library import MPI
from rondo.arrow import _dictionaries, _refusals, _types
from rondo.arrow._library import pa
from rondo.arrow._stream import exchange, written

_SLICES = b"rondo.slices"


class Agreed(NamedTuple):
    """What follows from the offers, the same on all ranks."""

    empties: list[pa.RecordBatch]  # the offers, with the types of all ranks
    empty: pa.RecordBatch  # with the dictionaries of all ranks, too
    rounds: int  # the most slices of any rank

    def conformed(self, table: pa.Table) -> pa.Table:
        """This rank's table with the types and dictionaries of all ranks."""
        schema = self.empties[0].schema.with_metadata(table.schema.metadata)
        return _dictionaries.unified(self.empties, _types.converted(table, schema))


def offer_of(table: pa.Table, slices: int) -> pa.Buffer:
    """The table without rows, and its number of slices, as a stream."""
    return _stream_of(_dictionaries.without_rows(table), {_SLICES: str(slices).encode()})


def refusal_of(error: Exception) -> pa.Buffer:
    """What a rank sends that has no table."""
    return _stream_of(pa.RecordBatch.from_arrays([], names=[]), _refusals.metadata_of(error))


def _stream_of(empty: pa.RecordBatch, metadata: dict[bytes, bytes]) -> pa.Buffer:
    return written(empty.replace_schema_metadata(metadata), []).memory


def exchanged(comm: MPI.Intracomm, offer: pa.Buffer, error: Exception | None) -> list[pa.Table]:
    """The offers of all ranks. Raises this rank's error, or that of another. Collective."""
    received = exchange(comm, offer, [0] * comm.size, [offer.size] * comm.size)
    offers = [pa.ipc.open_stream(one).read_all() for one in received]
    _refusals.raise_first(error, {rank: one.schema.metadata for rank, one in enumerate(offers)})
    return offers


def agreed(offers: Sequence[pa.Table]) -> Agreed:
    """What the offers of all ranks say together."""
    schema = _types.agreed([one.schema for one in offers])
    empties = [_dictionaries.without_rows(_types.converted(one, schema)) for one in offers]
    empty = _dictionaries.without_rows(
        _dictionaries.unified(empties, pa.Table.from_batches(empties[:1]))
    )
    return Agreed(empties, empty, max(int(one.schema.metadata[_SLICES]) for one in offers))
