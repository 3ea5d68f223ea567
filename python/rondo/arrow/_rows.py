"""Some rows of a table.

Arrow 26 picks wrong ones of nested lists of fixed size behind an offset.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rondo.arrow._library import pa
from rondo.arrow._types import contains


def without_offsets(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows, of which Arrow picks the right ones."""
    columns = [
        pa.concat_arrays([column])
        if column.offset != 0 and contains(column.type, pa.types.is_fixed_size_list)
        else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _table_without_offsets(table: pa.Table) -> pa.Table:
    return pa.Table.from_batches(map(without_offsets, table.to_batches()), table.schema)


def taken(table: pa.Table, places: pa.Array) -> pa.Table:
    """The rows at these places, in their order."""
    return _table_without_offsets(table).take(places)


def kept(table: pa.Table, are_kept: npt.NDArray[Any]) -> pa.Table:
    """The rows of which that is true."""
    return _table_without_offsets(table).filter(pa.array(are_kept))
