"""What a table is, in which types its columns travel, and on which types the ranks agree."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Any, Callable, Protocol

from rondo.arrow import _pandas
from rondo.arrow._library import pa

# Arrow has no type for integers of 128 bits. An object of Python is an address in this process.
_ONLY_POLARS = ("Int128", "UInt128", "Object")


class Tabular(Protocol):
    """A table of pyarrow, pandas, polars or another library, by Arrow's interchange."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The record batches of the table."""


def table_of(data: Tabular, index: Collection[str] | None = None) -> pa.Table:
    """The table as pyarrow has it, with the same memory where possible.

    The index of a frame of pandas becomes columns: all of its levels, or only those named.
    """
    if isinstance(data, pa.Table):
        return data
    table = _pandas.table_of(data)
    if table is not None:
        return table if index is None else _pandas.without_index(table, index)
    is_frame = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")
    if not is_frame:
        raise TypeError(f"expecting a table, got {type(data).__name__}")
    _require_types_of_arrow(data)
    return pa.table(data)


def _require_types_of_arrow(data: Any) -> None:
    """Raise TypeError if a frame of polars has a column that Arrow has no type for."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.DataFrame):
        for name, kind in data.schema.items():
            if str(kind) in _ONLY_POLARS:
                raise _cannot_travel(name, kind)


def carried(kind: pa.DataType) -> pa.DataType:
    """The type in which the values of a type travel.

    It is the type itself, without views: a part of an array of views would take the values of the
    whole array along. A dictionary of nulls has no value.
    """
    if pa.types.is_dictionary(kind):
        if pa.types.is_null(kind.value_type):
            return pa.null()
        return pa.dictionary(kind.index_type, carried(kind.value_type), kind.ordered)
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
            raise _cannot_travel(field.name, field.type)


def _cannot_travel(name: str, kind: Any) -> TypeError:
    return TypeError(f"column {name!r} has type {kind}, which cannot be shuffled: cast it first")


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
    return pa.chunked_array([_cast(chunk, kind) for chunk in column.chunks], kind)


def _names(kind: pa.StructType) -> list[str]:
    return [field.name for field in kind]


_LISTS = pa.ListType, pa.LargeListType, pa.FixedSizeListType


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """As Array.cast, which makes invalid arrays of structs with lists of nulls (pyarrow 26)."""
    if array.type == kind:
        return array
    if type(array.type) is type(kind) is pa.StructType and _names(array.type) == _names(kind):
        fields = [_cast(array.field(at), kind.field(at).type) for at in range(kind.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=array.is_null())
    if type(array.type) is type(kind) and isinstance(kind, _LISTS):
        own, values = array.buffers()[: kind.num_buffers], _cast(array.values, kind.value_type)
        return pa.Array.from_buffers(kind, len(array), own, offset=array.offset, children=[values])
    return array.cast(kind)


def with_index(array: pa.DictionaryArray, kind: pa.DictionaryType) -> pa.DictionaryArray:
    """The array as another dictionary type. A cast would drop the dictionary of no rows."""
    if array.type == kind:
        return array
    indices, values = array.indices.cast(kind.index_type), array.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)


def agreed(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The schema of all ranks. Raises an error, the same on all ranks, if there is none."""
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
    """The field of a column, from those of all ranks, by Arrow's rules.

    Ranks that have no values may know no type, or none of what is inside it. They come last, so
    that the metadata of the field are those of a rank that knows it.
    """
    ranks: dict[pa.Field, int] = {}
    for rank, own in enumerate(fields):
        ranks.setdefault(own, rank)
    different = sorted(ranks, key=lambda one: (contains(one.type, pa.types.is_null), ranks[one]))
    field = first = different[0]
    for other in different[1:]:
        try:
            field = _unified(field, other)
        except pa.ArrowException as error:
            raise TypeError(
                f"column {first.name!r} is {first.type} on rank {ranks[first]}, but {other.type} "
                f"on rank {ranks[other]}"
            ) from error
    return field


def _unified(one: pa.Field, other: pa.Field) -> pa.Field:
    """A field whose type has the values of both."""
    if _has_dictionary_inside(one.type) and _has_dictionary_inside(other.type):
        # A cast would drop the dictionaries of no rows.
        raise pa.ArrowTypeError("types with dictionaries inside must be the same")
    schemas = [pa.schema([one]), pa.schema([other])]
    return pa.unify_schemas(schemas, promote_options="permissive").field(0)


def _has_dictionary_inside(kind: pa.DataType) -> bool:
    return kind.num_fields != 0 and contains(kind, pa.types.is_dictionary)


def index_bits(kind: pa.DictionaryType) -> int:
    """The bits of the largest index. None is negative, so a sign is of no use."""
    index = kind.index_type
    return int(index.bit_width - pa.types.is_signed_integer(index))
