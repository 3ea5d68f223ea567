"""Frames of pandas: their index travels as columns, and their metadata are those of all ranks.

A frame whose rows are numbered one after the other has its index in the metadata alone, where it
would name the rows that a rank had, and not those that it receives.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rondo.arrow._library import pa

Metadata = Mapping[bytes, bytes]
_KEY = b"pandas"


def table_of(frame: Any) -> pa.Table | None:
    """The table of a frame of pandas, its index as columns. None if it is no such frame."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(frame, pandas.DataFrame):
        return None
    table = pa.Table.from_pandas(frame, preserve_index=True)
    for number, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = _without_guess(table.column(number))
            table = table.set_column(number, field.with_type(column.type), column)
    return table


def _without_guess(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column, where categories without values have no type: pandas makes them floats, say."""
    if any(len(chunk.dictionary) for chunk in column.chunks):
        return column
    return pa.chunked_array([pa.nulls(len(column))])


def without_index(table: pa.Table, kept: Collection[str]) -> pa.Table:
    """The table without the levels of its index, but for those that are kept."""
    levels = json.loads(table.schema.metadata[_KEY])["index_columns"]
    return table.drop_columns([level for level in levels if level not in kept])


def of(metadata: Metadata | None) -> Metadata:
    """What is pandas's of a schema's metadata."""
    return {key: value for key, value in (metadata or {}).items() if key == _KEY}


def without(metadata: Metadata | None) -> Metadata:
    """The rest."""
    return {key: value for key, value in (metadata or {}).items() if key != _KEY}


def agreed(metadata: Sequence[Metadata | None]) -> Metadata:
    """What is true of the rows of all ranks, from all ranks' metadata.

    It is what the lowest rank says that has a frame. A column of which that rank has no values is
    as on the first rank that has some.
    """
    told = dict.fromkeys(one[_KEY] for one in map(of, metadata) if one)
    frames = [json.loads(one) for one in told]
    if not frames:
        return {}
    first = frames[0]
    first["index_columns"] = [one for one in first["index_columns"] if isinstance(one, str)]
    for frame in frames[1:]:
        known = {one["field_name"]: one for one in frame["columns"]}
        first["columns"] = [
            known.get(one["field_name"], one) if one["pandas_type"] == "empty" else one
            for one in first["columns"]
        ]
    return {_KEY: json.dumps(first).encode()}
