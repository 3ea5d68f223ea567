"""What a table is, in which types its columns travel, and on which types the ranks agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Protocol

from rondo.arrow._library import pa


class Tabular(Protocol):
    """A table of pyarrow, pandas, polars or another library, by Arrow's interchange."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The record batches of the table."""


def table_of(data: Tabular) -> pa.Table:
    """The table as pyarrow has it, with the same memory where possible."""
    if isinstance(data, pa.Table):
        return data
    is_frame = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")
    if not is_frame:
        raise TypeError(f"expecting a table, got {type(data).__name__}")
    return pa.table(data)


def carried(kind: pa.DataType) -> pa.DataType:
    """The type in which the values of a type travel.

    It is the type itself, without views: a part of an array of views would take the values of the
    whole array along.
    """
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_struct(kind):
        return pa.struct([_carried_field(field) for field in kind])
    if pa.types.is_map(kind):
        key, item = _carried_field(kind.key_field), _carried_field(kind.item_field)
        return pa.map_(key, item, kind.keys_sorted)
    if pa.types.is_list(kind):
        return pa.list_(_carried_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_carried_field(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_carried_field(kind.value_field), kind.list_size)
    return kind


def _carried_field(field: pa.Field) -> pa.Field:
    return field.with_type(carried(field.type))


def contains(kind: pa.DataType, is_one: Callable[[pa.DataType], bool]) -> bool:
    """Whether a type, or one inside it, is one of these."""
    inner = (kind.field(number).type for number in range(kind.num_fields))
    return is_one(kind) or any(contains(one, is_one) for one in inner)


def require_carried(schema: pa.Schema) -> None:
    """Raise TypeError if a column cannot travel."""
    for field in schema:
        if not _is_carried(field.type):
            raise TypeError(
                f"column {field.name!r} has type {field.type}, which cannot be shuffled: cast it "
                "first"
            )


def _is_carried(kind: pa.DataType) -> bool:
    """Whether Arrow can pick rows. A part of an array of list views has the values of all lists."""
    if contains(kind, _is_list_view):
        return False
    try:
        pa.nulls(0, carried(kind)).take(pa.array([], pa.int64()))
    except pa.ArrowNotImplementedError:
        return False
    return True


def _is_list_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def converted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with these types and these metadata. Columns that have them are not copied."""
    columns = [_converted_column(*one) for one in zip(table.columns, schema.types)]
    return pa.Table.from_arrays(columns, schema=schema)


def _converted_column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    if pa.types.is_dictionary(column.type) and pa.types.is_dictionary(kind):
        return pa.chunked_array([with_index(chunk, kind) for chunk in column.chunks], kind)
    return column.cast(kind)


def with_index(array: pa.DictionaryArray, kind: pa.DictionaryType) -> pa.DictionaryArray:
    """The array with another type of indices. A cast would drop the dictionary of no rows."""
    if array.type == kind:
        return array
    indices = array.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, array.dictionary, ordered=kind.ordered)


def agreed(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The schema of all ranks. Raises an error, the same on all ranks, if there is none.

    A column that has no values on some ranks, and therefore the type null, takes its type from the
    others.
    """
    _require_same_names([schema.names for schema in schemas])
    columns = zip(*schemas)
    return pa.schema([_agreed_field(fields) for fields in columns])


def _require_same_names(names: Sequence[Sequence[str]]) -> None:
    for rank, own in enumerate(names):
        for column, (name, other) in enumerate(zip(own, names[0])):
            if name != other:
                raise ValueError(
                    f"column {column} is {name!r} on rank {rank}, but {other!r} on rank 0"
                )
        if len(own) != len(names[0]):
            longer, shorter = (rank, 0) if len(own) > len(names[0]) else (0, rank)
            extra = names[longer][len(names[shorter])]
            raise ValueError(f"rank {longer} has a column {extra!r}, which rank {shorter} lacks")


def _agreed_field(fields: Sequence[pa.Field]) -> pa.Field:
    """The field of a column, from those of all ranks."""
    known = [rank for rank, field in enumerate(fields) if not pa.types.is_null(field.type)]
    first = known[0] if known else 0
    kind = fields[first].type
    for rank in known[1:]:
        other = fields[rank].type
        if other != kind and not _differ_in_index(kind, other):
            raise TypeError(
                f"column {fields[0].name!r} is {kind} on rank {first}, but {other} on rank {rank}"
            )
        if other != kind:
            kind = max(kind, other, key=index_bits)
    nullable = any(field.nullable or pa.types.is_null(field.type) for field in fields)
    return pa.field(fields[0].name, kind, nullable)


def index_bits(kind: pa.DictionaryType) -> int:
    """The bits of the largest index. None is negative, so a sign is of no use."""
    index = kind.index_type
    return int(index.bit_width - pa.types.is_signed_integer(index))


def _differ_in_index(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether both are dictionaries that differ at most in the type of their indices."""
    if not (pa.types.is_dictionary(one) and pa.types.is_dictionary(other)):
        return False
    return bool(one.value_type == other.value_type and one.ordered == other.ordered)
