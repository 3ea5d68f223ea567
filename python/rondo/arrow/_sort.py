"""A sort by ranges of keys: rank 0 gets the first rows, and the last rank the last ones.

A sample of all ranks' rows says where the ranges end. Arrow does the sorting, also that of rows
and ends together, from which each row gets its range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

import numpy as np
import numpy.typing as npt

from rondo.arrow import _agreement, _rows
from rondo.arrow._library import pa
from rondo.arrow._owners import Everyone, columns_of
from rondo.arrow._ranks import Ranks
from rondo.arrow._shuffle import shuffled
from rondo.arrow._types import Tabular, table_of

Orders = Union[str, Sequence[Union[str, tuple[str, str]]]]
"""The name of a column, or several, each alone or with "ascending" or "descending"."""
_SAMPLES = 100  # of a rank: most ranges are then within a few percent of each other
_WEIGHT = "rows"


def sorted_by_range(table: Tabular, keys: Orders, comm: Ranks, slice_bytes: int) -> pa.Table:
    """Sort the rows of all ranks. Collective."""
    own: pa.Table = None

    def checked() -> pa.Table:
        rows = table_of(table)
        columns_of(rows.schema, [name for name, _ in _pairs(keys)])
        return rows

    def sample() -> pa.Table:
        nonlocal own
        own = typed()
        return _sample_of(_keys_of(own, keys), comm.rank)

    typed = _agreement.typed(checked, comm)
    sampled = shuffled(sample, Everyone(), comm, slice_bytes)

    def ranges(rows: pa.Table) -> npt.NDArray[np.intp]:
        ends = _ends_of(sampled(), keys, comm.size)
        return _ranges_of(_keys_of(rows, keys), ends, keys)

    rows = shuffled(lambda: own, ranges, comm, slice_bytes)()
    return _rows.taken(rows, _order_of(_keys_of(rows, keys), keys))


def _pairs(orders: Orders) -> list[tuple[str, str]]:
    """Each key with its order."""
    given = [orders] if isinstance(orders, str) else orders
    return [(one, "ascending") if isinstance(one, str) else one for one in given]


def _keys_of(rows: pa.Table, orders: Orders) -> pa.Table:
    """The key columns, as Arrow sorts them."""
    columns = [_sortable(rows.column(name)) for name, _ in _pairs(orders)]
    return pa.Table.from_arrays(columns, list(map(str, range(len(columns)))))


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Arrow sorts no dictionaries. One that is ordered says the order of its values."""
    kind = column.type
    if not pa.types.is_dictionary(kind):
        return column
    if kind.ordered:
        return pa.chunked_array([one.indices for one in column.chunks], kind.index_type)
    return column.cast(kind.value_type)


def _order_of(keys: pa.Table, orders: Orders) -> pa.Array:
    """The places of the rows in their order. Equal rows stay in theirs."""
    by = [(str(number), order) for number, (_, order) in enumerate(_pairs(orders))]
    return pa.compute.sort_indices(keys, sort_keys=by)


def _sample_of(keys: pa.Table, rank: int) -> pa.Table:
    """Some rows, each with the number of rows for which it stands."""
    count = min(keys.num_rows, _SAMPLES)
    chosen = np.random.default_rng(rank).integers(0, max(keys.num_rows, 1), count)
    weights = np.full(count, keys.num_rows / max(count, 1))
    return _rows.taken(keys, pa.array(chosen)).append_column(_WEIGHT, pa.array(weights))


def _ends_of(sample: pa.Table, orders: Orders, ranks: int) -> pa.Table:
    """The key with which each range but the first begins."""
    ordered = _rows.taken(sample, _order_of(sample, orders))
    weights = ordered.column(_WEIGHT).to_numpy().cumsum()
    wanted = np.arange(1, ranks if weights.size else 1) / ranks * weights[-1:]
    places = np.searchsorted(weights, wanted)
    return ordered.drop_columns([_WEIGHT]).take(pa.array(places, pa.int64()))


def _ranges_of(keys: pa.Table, ends: pa.Table, orders: Orders) -> npt.NDArray[np.intp]:
    """The range of every row: how many ends are not behind it."""
    places = _order_of(pa.concat_tables([ends, keys]), orders).to_numpy()
    ranges = np.empty(len(places), np.intp)
    ranges[places] = np.cumsum(places < ends.num_rows)
    return ranges[ends.num_rows :]
