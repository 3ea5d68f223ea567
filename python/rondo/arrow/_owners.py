"""Which rank each row goes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Union

import numpy as np
import numpy.typing as npt

from rondo.arrow import _hashing
from rondo.arrow._library import pa

Keys = Union[str, Sequence[str]]
"""The name of a column, or several."""
By = Union[Keys, Callable[[Any], Any]]
"""Key columns, or a function of the table that returns the rank of every row."""
Owners = npt.NDArray[np.unsignedinteger[Any]]
_BLOCK_ROWS = 1 << 15  # whose hashes stay in the cache


def columns_of(schema: pa.Schema, keys: Keys) -> list[int]:
    """The places of the key columns."""
    names = [keys] if isinstance(keys, str) else keys
    are_names = isinstance(names, Sequence) and all(isinstance(name, str) for name in names)
    if not are_names or not names:
        raise TypeError(f"expecting names of columns, got {keys!r}")
    return [_column_of(schema, name) for name in names]


def _column_of(schema: pa.Schema, name: str) -> int:
    places = schema.get_all_field_indices(name)
    if len(places) != 1:
        what = f"{len(places)} columns are called" if places else "there is no column"
        raise KeyError(f"{what} {name!r}: the columns are {', '.join(schema.names)}")
    return int(places[0])


class HashOwners:
    """Rows with equal keys have the same rank, in every table and on every rank."""

    def __init__(self, schema: pa.Schema, keys: Keys, ranks: int) -> None:
        self._columns = columns_of(schema, keys)
        self._ranks = ranks
        for column in self._columns:
            _require_hashed(schema.field(column))

    def of(self, first: int, batch: pa.RecordBatch) -> Owners:
        """The ranks of the rows in a part of the table."""
        rows = batch.num_rows
        owners = np.empty(rows, _owner_type(self._ranks))
        hashers = [_hashing.hasher_of(batch.column(column)) for column in self._columns]
        for start in range(0, rows, _BLOCK_ROWS):
            block = batch.slice(start, _BLOCK_ROWS)
            hashes = np.zeros(block.num_rows, np.uint64)
            for column, hasher in zip(self._columns, hashers):
                hashes = _hashing.mixed(hashes + hasher(block.column(column)))
            owners[start : start + block.num_rows] = _part_of(hashes, self._ranks)
        return owners


def _part_of(hashes: _hashing.Hashes, ranks: int) -> _hashing.Hashes:
    """In which of so many equal parts of their range the hashes are, by their upper halves."""
    return (hashes >> np.uint64(32)) * np.uint64(ranks) >> np.uint64(32)


def _require_hashed(field: pa.Field) -> None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    try:
        _hashing.hashes_of(pa.nulls(0, kind))
    except TypeError as error:
        raise TypeError(f"column {field.name!r}: {error}") from error


def _owner_type(ranks: int) -> type[np.unsignedinteger[Any]]:
    """NumPy sorts integers of at most 16 bits in linear time."""
    return np.uint8 if ranks <= 1 << 8 else np.uint16 if ranks <= 1 << 16 else np.uint32


class GivenOwners:
    """The ranks that the program's function has returned for the whole table."""

    def __init__(self, table: pa.Table, function: Callable[[Any], Any], ranks: int) -> None:
        owners = np.asarray(function(table))
        if owners.shape != (table.num_rows,):
            raise ValueError(
                f"the partition function returned an array of shape {owners.shape} for "
                f"{table.num_rows} rows: it must return one rank for each row"
            )
        if table.num_rows and owners.dtype.kind not in "iu":
            raise TypeError(
                f"the partition function returned values of type {owners.dtype}: it must return "
                "integers, without nulls"
            )
        wrong = np.flatnonzero((owners < 0) | (owners >= ranks))
        if wrong.size:
            raise ValueError(
                f"the partition function returned {owners[wrong[0]]} for row {wrong[0]}: it must "
                f"return ranks from 0 to {ranks - 1}"
            )
        self._owners: Owners = owners.astype(_owner_type(ranks))

    def of(self, first: int, batch: pa.RecordBatch) -> Owners:
        """The ranks of the rows in the part of the table that begins with row `first`."""
        return self._owners[first : first + batch.num_rows]


class Everyone:
    """Every row goes to every rank."""


def owners_of(
    table: pa.Table, schema: pa.Schema, by: By | Everyone, ranks: int
) -> HashOwners | GivenOwners | Everyone:
    """What says where the rows of a table go, which travel with this schema."""
    if isinstance(by, Everyone):
        return by
    return GivenOwners(table, by, ranks) if callable(by) else HashOwners(schema, by, ranks)
