"""Dictionaries, of which every rank has its own, become one dictionary that all ranks have.

Its values are those of rank 0, followed by those that only rank 1 has, and so on. Every rank knows
the dictionaries of all ranks, and finds the same one without asking.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rondo.arrow._library import pa
from rondo.arrow._types import carried, contains, converted, index_bits, require_carried, with_index


def prepared(table: pa.Table) -> pa.Table:
    """The table in the types in which it travels, and one dictionary in all chunks of a column.

    Raises TypeError if a column cannot travel.
    """
    require_carried(table.schema)
    fields = [field.with_type(carried(field.type)) for field in table.schema]
    return _own_unified(converted(table, pa.schema(fields, table.schema.metadata)))


def _own_unified(table: pa.Table) -> pa.Table:
    """Arrow unifies no dictionaries with nulls, so these become nulls among the indices."""
    for number, field in enumerate(table.schema):
        chunks = table.column(number).chunks
        if pa.types.is_dictionary(field.type):
            chunks = [_without_nulls(chunk) for chunk in chunks]
        if chunks and contains(field.type, pa.types.is_dictionary):
            column = _with_one_dictionary(field, chunks)
            table = table.set_column(number, field.with_type(column.type), column)
    return table


def _without_nulls(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """The array without nulls among the values of its dictionary, which keep their order."""
    if array.dictionary.null_count == 0:
        return array
    valid = array.dictionary.is_valid().to_numpy(zero_copy_only=False)
    places = pa.array(np.maximum(valid.cumsum() - 1, 0), mask=~valid).cast(array.indices.type)
    return pa.DictionaryArray.from_arrays(
        places.take(array.indices), array.dictionary.drop_null(), ordered=array.type.ordered
    )


def without_rows(table: pa.Table) -> pa.RecordBatch:
    """No rows, but the dictionaries of the table."""
    columns = [
        column.chunk(0).slice(0, 0) if column.num_chunks else pa.nulls(0, column.type)
        for column in table.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def unified(offers: Sequence[pa.RecordBatch], table: pa.Table) -> pa.Table:
    """The dictionaries of all ranks, each in a batch without rows, become the table's."""
    for number, field in enumerate(table.schema):
        if contains(field.type, pa.types.is_dictionary):
            empties = [one.column(number) for one in offers]
            column = _unified_column(field, empties, table.column(number).chunks)
            table = table.set_column(number, field.with_type(column.type), column)
    return table


def _unified_column(
    field: pa.Field, offers: Sequence[pa.Array], chunks: Sequence[pa.Array]
) -> pa.ChunkedArray:
    """The own chunks after one without rows, so that there is a dictionary in any case."""
    for inside in zip(*map(_dictionaries_of, offers)):
        _require_same_order(field, inside)
    column = _with_one_dictionary(field, [*offers, *chunks])
    return pa.chunked_array(column.chunks[len(offers) - 1 :])


def _with_one_dictionary(field: pa.Field, chunks: Sequence[pa.Array]) -> pa.ChunkedArray:
    """The chunks with the dictionary of all of them, and with indices that are wide enough."""
    kind = field.type
    if not pa.types.is_dictionary(kind):
        return _unified_by_arrow(field, chunks)
    # Arrow refuses the last value that an index can number.
    wide = _wide_enough(kind, sum(len(one.dictionary) for one in chunks) + 1)
    column = _unified_by_arrow(field.with_type(wide), [with_index(one, wide) for one in chunks])
    kind = _wide_enough(kind, len(column.chunk(0).dictionary))
    return pa.chunked_array([with_index(one, kind) for one in column.chunks])


def _unified_by_arrow(field: pa.Field, chunks: Sequence[pa.Array]) -> pa.ChunkedArray:
    table = pa.table([pa.chunked_array(chunks)], schema=pa.schema([field]))
    try:
        (column,) = table.unify_dictionaries().columns
    except pa.ArrowException as error:
        raise TypeError(f"column {field.name!r}: {error}") from error
    return column


def _wide_enough(kind: pa.DictionaryType, values: int) -> pa.DictionaryType:
    """The type, with indices of 32 bits if its own are too narrow for so many values."""
    bits = index_bits(kind)
    if bits >= 31 or values <= 1 << bits:
        return kind
    return pa.dictionary(pa.int32(), kind.value_type, kind.ordered)


def _dictionaries_of(array: pa.Array) -> list[pa.DictionaryArray]:
    """The array itself, or the dictionaries inside."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return [array]
    if pa.types.is_struct(kind):
        parts = array.flatten()
    elif pa.types.is_map(kind):
        parts = [array.keys, array.items]
    else:
        parts = [array.values] if hasattr(array, "values") else []
    return [one for part in parts for one in _dictionaries_of(part)]


def _require_same_order(field: pa.Field, offers: Sequence[pa.DictionaryArray]) -> None:
    """An order is that of one dictionary; ranks without values have none."""
    if not offers[0].type.ordered:
        return
    known = [rank for rank, one in enumerate(offers) if len(one.dictionary)]
    for rank in known[1:]:
        if not offers[rank].dictionary.equals(offers[known[0]].dictionary):
            raise ValueError(
                f"column {field.name!r} is ordered, but its values on rank {rank} are not those "
                f"on rank {known[0]}"
            )
