"""Groups of rows that are spread over ranks; the work on each rank is Arrow's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rondo._library import MPI
from rondo.arrow._library import pa
from rondo.arrow._owners import Keys, columns_of
from rondo.arrow._shuffle import shuffled
from rondo.arrow._types import Tabular, table_of

# What aggregates the results of an aggregation on several ranks to that on all of them.
_COMBINED = {
    "all": "all",
    "any": "any",
    "count": "sum",
    "count_all": "sum",
    "max": "max",
    "min": "min",
    "product": "product",
    "sum": "sum",
}


def grouped(
    table: Tabular,
    keys: Keys,
    aggregations: Sequence[Any],
    comm: MPI.Intracomm,
    slice_bytes: int,
    use_threads: bool,
) -> pa.Table:
    """Aggregate the rows of all ranks by keys. Collective."""

    are_combined = False

    def aggregated(rows: pa.Table, what: Sequence[Any]) -> pa.Table:
        return rows.group_by(keys, use_threads=use_threads).aggregate(what)

    def own() -> pa.Table:
        nonlocal are_combined
        rows = table_of(table)
        columns_of(rows.schema, keys)
        if not all(map(_is_combined, aggregations)):
            return rows
        groups = aggregated(rows, aggregations)
        are_combined = len(set(groups.schema.names)) == groups.num_columns
        return _without_guesses(groups, rows, aggregations) if are_combined else rows

    received = shuffled(own, keys, comm, slice_bytes)
    if not are_combined:
        return aggregated(received, aggregations)
    results = received.schema.names[-len(aggregations) :] if aggregations else []
    combined = [(name, _COMBINED[function]) for name, (_, function) in zip(results, aggregations)]
    return aggregated(received, combined).rename_columns(received.schema.names)


def _is_combined(aggregation: Any) -> bool:
    """Whether results of several ranks give that of all. Options may change what a result is."""
    return len(aggregation) == 2 and aggregation[1] in _COMBINED


def _without_guesses(groups: pa.Table, rows: pa.Table, aggregations: Sequence[Any]) -> pa.Table:
    """The groups, where a sum of a column without a type has no type either.

    Arrow makes such sums integers, but on other ranks the column may have a type.
    """
    first = groups.num_columns - len(aggregations)
    for place, (target, function) in enumerate(aggregations, first):
        if function in ("sum", "product") and pa.types.is_null(rows.schema.field(target).type):
            groups = groups.set_column(place, groups.schema.names[place], pa.nulls(groups.num_rows))
    return groups
