"""What the ranks agree on before rows travel: the schema, the dictionaries, the number of slices.

Every rank sends all ranks its table without rows, which has all of that, or the reason why it has
no table. Every rank then knows the same, and finds the same result or the same error.
"""

from __future__ import annotations

from typing import NamedTuple

from rondo._library import MPI
from rondo.arrow import _dictionaries, _refusals, _types
from rondo.arrow._library import pa
from rondo.arrow._stream import exchange, written

_SLICES = b"rondo.slices"


class Agreed(NamedTuple):
    """The own table with the types and dictionaries of all ranks, and how many slices there are."""

    table: pa.Table
    rounds: int


def agree(comm: MPI.Comm, table: pa.Table | None, slices: int, error: Exception | None) -> Agreed:
    """Agree with the other ranks. Without a table there is an error. Collective.

    Raises the error of any rank, on all ranks.
    """
    offer = _offer(table, slices, error)
    received = exchange(comm, offer, [0] * comm.size, [offer.size] * comm.size)
    offers = [pa.ipc.open_stream(one).read_all() for one in received]
    metadata = [one.schema.metadata for one in offers]
    _refusals.raise_first(error, dict(enumerate(metadata)))
    assert table is not None
    schema = _types.agreed([one.schema for one in offers])
    empties = [_dictionaries.without_rows(_types.converted(one, schema)) for one in offers]
    own = _types.converted(table, schema.with_metadata(table.schema.metadata))
    rounds = max(int(one[_SLICES]) for one in metadata)
    return Agreed(_dictionaries.unified(empties, own), rounds)


def _offer(table: pa.Table | None, slices: int, error: Exception | None) -> pa.Buffer:
    """The stream that this rank sends."""
    if table is None:
        assert error is not None
        empty = pa.RecordBatch.from_arrays([], names=[])
        return written(empty.replace_schema_metadata(_refusals.metadata_of(error)), []).memory
    empty = _dictionaries.without_rows(table)
    return written(empty.replace_schema_metadata({_SLICES: str(slices).encode()}), []).memory
