"""Groups of rows that are spread over ranks; the work on each rank is Arrow's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rondo.arrow import _agreement, _dictionaries, _rows
from rondo.arrow._combined import Combined, are_combined
from rondo.arrow._library import pa
from rondo.arrow._owners import By, Keys, columns_of
from rondo.arrow._ranks import Ranks
from rondo.arrow._shuffle import shuffled
from rondo.arrow._types import Tabular, table_of


def grouped(
    table: Tabular,
    keys: Keys,
    aggregations: Sequence[Any],
    comm: Ranks,
    slice_bytes: int,
    use_threads: bool,
) -> pa.Table:
    """Aggregate the rows of all ranks by keys, or all of them if there are none. Collective."""
    combined: Combined | None = None
    names = [keys] if isinstance(keys, str) else keys
    by: By = names or _to_first_rank

    def aggregated(rows: pa.Table, by: Sequence[str], what: Sequence[Any]) -> pa.Table:
        return rows.group_by(by, use_threads=use_threads).aggregate(what)

    def own() -> pa.Table:
        """What travels of the own rows. All ranks know the types, so they choose the same."""
        nonlocal combined
        rows = typed()
        if not are_combined(rows.schema, aggregations):
            return rows
        results = aggregated(rows.slice(0, 0), names, aggregations).schema
        combined = Combined(names, aggregations, results)
        return combined.parts(rows, aggregated)

    typed = _agreement.typed(lambda: _needed(table_of(table), names, aggregations), comm)
    received = shuffled(own, by, comm, slice_bytes)()
    if combined is not None:
        return combined.whole(received, aggregated)
    groups = aggregated(received, names, aggregations)
    return groups if names or comm.rank == 0 else groups.slice(0, 0)


def _needed(rows: pa.Table, keys: Sequence[str], aggregations: Sequence[Any]) -> pa.Table:
    """The columns that are keys or aggregated. The others do not travel."""
    targets: list[str] = []
    for target, *_ in aggregations:
        targets += [target] if isinstance(target, str) else target
    places = columns_of(rows.schema, keys) if keys else []
    places += columns_of(rows.schema, targets) if targets else []
    if not places:  # a table without columns has no rows to count
        return pa.table({"row": pa.nulls(rows.num_rows)})
    return rows.select(sorted(set(places)))


def _to_first_rank(rows: pa.Table) -> Any:
    return np.zeros(rows.num_rows, np.uint8)


def distinct(table: Tabular, keys: Keys, comm: Ranks, slice_bytes: int) -> pa.Table:
    """The first row of each group. Collective."""

    def own() -> pa.Table:
        return _first_of_each(_dictionaries.prepared(table_of(table)), keys)

    return _first_of_each(shuffled(own, keys, comm, slice_bytes)(), keys)


def _first_of_each(rows: pa.Table, keys: Keys) -> pa.Table:
    columns = [rows.column(place) for place in columns_of(rows.schema, keys)]
    numbered = [*columns, pa.array(np.arange(rows.num_rows))]
    names = [str(number) for number in range(len(numbered))]
    groups = pa.Table.from_arrays(numbered, names).group_by(names[:-1])
    first = groups.aggregate([(names[-1], "min")]).column(f"{names[-1]}_min")
    are_first = np.zeros(rows.num_rows, bool)
    are_first[first.to_numpy()] = True
    return _rows.kept(rows, are_first)
