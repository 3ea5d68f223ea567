"""Slices of a table, so that what is packed at a time has a bounded length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rondo.arrow._library import pa

SLICE_BYTES = 16 << 20


class Slice(NamedTuple):
    """Rows that follow each other."""

    first: int
    rows: int


def slices_of(table: pa.Table, slice_bytes: int) -> list[Slice]:
    """The whole table in slices of at most so many bytes, or of one row if that has more."""
    if isinstance(slice_bytes, bool) or not isinstance(slice_bytes, int):
        raise TypeError(f"slice_bytes must be an int, got {slice_bytes!r}")
    if slice_bytes < 1:
        raise ValueError(f"slice_bytes must be at least 1, got {slice_bytes}")
    return list(_halves(table, Slice(0, table.num_rows), slice_bytes))


def _halves(table: pa.Table, part: Slice, slice_bytes: int) -> Iterator[Slice]:
    """The slice, or those of both its halves. Without rows there is none."""
    if part.rows == 0:
        return
    if part.rows == 1 or _bytes_of(table.slice(*part)) <= slice_bytes:
        yield part
        return
    half = part.rows // 2
    yield from _halves(table, Slice(part.first, half), slice_bytes)
    yield from _halves(table, Slice(part.first + half, part.rows - half), slice_bytes)


def _bytes_of(table: pa.Table) -> int:
    """What a table takes on its way, without the dictionaries, which travel only once."""
    return sum(map(pa.ipc.get_record_batch_size, table.to_batches()))
