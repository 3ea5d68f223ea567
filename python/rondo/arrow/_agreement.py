"""What the ranks agree on before rows travel: the schema, the dictionaries, the number of slices.

Every rank sends all ranks what it has of these, or the reason why it has nothing. Every rank then
knows the same, and finds the same result or the same error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, NamedTuple

from rondo.arrow import _dictionaries, _pandas, _refusals, _types
from rondo.arrow._library import pa
from rondo.arrow._ranks import Ranks, require_ranks
from rondo.arrow._stream import exchange, to_all, written

_SLICES = b"rondo.slices"


class Agreed(NamedTuple):
    """What follows from the offers, the same on all ranks."""

    empties: list[pa.RecordBatch]  # the offers, with the types of all ranks
    empty: pa.RecordBatch  # with the dictionaries of all ranks, too
    rounds: int  # the most slices of any rank, but at least one round, in which errors travel
    frame: _pandas.Metadata  # of pandas

    def conformed(self, table: pa.Table) -> pa.Table:
        """This rank's table with the types and dictionaries of all ranks."""
        metadata = {**_pandas.without(table.schema.metadata), **self.frame}
        schema = self.empties[0].schema.with_metadata(metadata or None)
        return _dictionaries.unified(self.empties, _types.converted(table, schema))


def offer_of(table: pa.Table, slices: int) -> pa.Buffer:
    """The table without rows, and its number of slices, as a stream."""
    metadata = {_SLICES: str(slices).encode(), **_pandas.of(table.schema.metadata)}
    empty = _dictionaries.without_rows(table).replace_schema_metadata(metadata)
    return written(empty, []).memory


def offers_of_all(comm: Ranks, offer: Callable[[], pa.Buffer]) -> list[pa.Buffer]:
    """What all ranks offer. Raises this rank's error, or that of another. Collective."""
    require_ranks(comm)
    error = None
    try:
        own = offer()
    except BaseException as failure:
        error, own = failure, _refusals.refusal_of(failure)
    offers = exchange(comm, to_all(own, comm.size))
    _refusals.raise_first(error, offers)
    return offers


def agreed(offers: Sequence[pa.Buffer]) -> Agreed:
    """What the offers of all ranks say together."""
    tables = [pa.ipc.open_stream(one).read_all() for one in offers]
    schema = _types.agreed([one.schema for one in tables])
    empties = [_dictionaries.without_rows(_types.converted(one, schema)) for one in tables]
    empty = _dictionaries.without_rows(
        _dictionaries.unified(empties, pa.Table.from_batches(empties[:1]))
    )
    rounds = max(int(one.schema.metadata[_SLICES]) for one in tables)
    return Agreed(
        empties, empty, max(rounds, 1), _pandas.agreed([one.schema.metadata for one in tables])
    )


def typed(make: Callable[[], pa.Table], comm: Ranks) -> Callable[[], pa.Table]:
    """Agree on the types alone. Collective.

    Returns what gives this rank's table with the types of all ranks. That may fail on one rank
    alone: it must be called where an error reaches the others.
    """
    table = None

    def offer() -> pa.Buffer:
        nonlocal table
        table = _dictionaries.prepared(make())
        return table.schema.serialize()

    offers = offers_of_all(comm, offer)
    assert table is not None

    def conformed() -> pa.Table:
        schema = _types.agreed([pa.ipc.read_schema(one) for one in offers])
        return _types.converted(table, schema.with_metadata(table.schema.metadata))

    return conformed
