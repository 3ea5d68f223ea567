"""Aggregations of which each rank finds a part from its own rows, so that only groups travel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from rondo.arrow._library import pa

Aggregate = Callable[[pa.Table, Sequence[str], Sequence[Any]], pa.Table]
_MOMENTS = (("count", "list"), ("mean", "list"), ("variance", "list"))
# The parts of an aggregation, and what aggregates each part of several ranks.
_PARTS = {
    "all": (("all", "all"),),
    "any": (("any", "any"),),
    "count": (("count", "sum"),),
    "count_all": (("count_all", "sum"),),
    "max": (("max", "max"),),
    "mean": (("sum", "sum"), ("count", "sum")),
    "min": (("min", "min"),),
    "product": (("product", "product"),),
    "stddev": _MOMENTS,
    "sum": (("sum", "sum"),),
    "variance": _MOMENTS,
}


def are_combined(schema: pa.Schema, aggregations: Sequence[Any]) -> bool:
    """Whether results of several ranks give that of all."""
    return all(_is_combined(schema, *aggregation) for aggregation in aggregations)


def _is_combined(schema: pa.Schema, target: Any, function: str, *options: Any) -> bool:
    """Options may change what a result is. Means of decimals are rounded."""
    if function not in _PARTS or (options and function != "count"):
        return False
    if len(_PARTS[function]) == 1:
        return True
    kind = schema.field(target).type
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return bool(is_number or pa.types.is_boolean(kind))


class Combined(NamedTuple):
    """Aggregations whose parts travel."""

    keys: Sequence[str]
    aggregations: Sequence[Any]
    schema: pa.Schema  # of the results

    def _name(self, what: object) -> str:
        """The name of a column that is made here: it is longer than that of any other."""
        return "_" * max(map(len, self.schema.names), default=0) + f"_{what}"

    def parts(self, rows: pa.Table, aggregated: Aggregate) -> pa.Table:
        """The groups of this rank."""
        parts = []
        for number, (target, function, *options) in enumerate(self.aggregations):
            if function == "mean":  # Arrow sums up numbers of 64 bits, too, as doubles
                column = rows[target].cast(pa.float64(), safe=False)
                target = self._name(f"mean_{number}")
                rows = rows.append_column(target, column)
            parts += [(target, part, *options) for part, _ in _PARTS[function]]
        groups = aggregated(rows, self.keys, parts)
        return groups.rename_columns([*self.keys, *map(self._name, range(len(parts)))])

    def whole(self, groups: pa.Table, aggregated: Aggregate) -> pa.Table:
        """The groups of all ranks, from those of each."""
        keys = self.keys
        if not keys:  # a key that all have: without one, Arrow makes a group of no rows
            keys = [self._name("all")]
            groups = groups.append_column(keys[0], pa.nulls(groups.num_rows, pa.int8()))
        what = [part for _, name, *_ in self.aggregations for _, part in _PARTS[name]]
        names = map(self._name, range(len(what)))
        found = aggregated(groups, keys, list(zip(names, what))).columns
        columns, parts = found[: len(self.keys)], iter(found[len(keys) :])
        for _, name, *_ in self.aggregations:
            columns.append(_result(name, [next(parts) for _ in _PARTS[name]]))
        columns = [one.cast(kind) for one, kind in zip(columns, self.schema.types)]
        return pa.Table.from_arrays(columns, schema=self.schema)


def _result(function: str, parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """What an aggregation has found, from its parts."""
    if len(parts) == 1:
        return parts[0]
    if function == "mean":
        total, count = parts
        return pa.compute.divide(total, count.cast(pa.float64()))
    variances = _variances(*(one.combine_chunks() for one in parts))
    if function == "stddev":
        variances = pa.compute.sqrt(variances)
    return pa.chunked_array([variances])


def _variances(counts: pa.ListArray, means: pa.ListArray, variances: pa.ListArray) -> pa.Array:
    """The variance of each group, from those that several ranks have found.

    It is the formula of Chan, Golub and LeVeque (Updating Formulae and a Pairwise Algorithm for
    Computing Sample Variances, 1979), which subtracts no large sums from each other.
    """
    group = np.repeat(np.arange(len(counts)), counts.value_lengths().to_numpy())
    count, mean, variance = map(_numbers, (counts, means, variances))

    def summed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.bincount(group, values, len(counts))

    total = summed(count)
    with np.errstate(invalid="ignore"):  # of groups without values, and of infinite ones
        away = mean - (summed(count * mean) / total)[group]
        return pa.array(summed(count * (variance + away * away)) / total, mask=total == 0)


def _numbers(lists: pa.ListArray) -> npt.NDArray[Any]:
    """The numbers in the lists, one list after the other. Those of ranks without values are 0."""
    numbers: npt.NDArray[Any] = lists.flatten().cast(pa.float64()).fill_null(0.0).to_numpy()
    return numbers
