"""Tables of a figure by two fields of rondo-bench's rows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rondo.results import Row

__all__ = ["Pivot"]


class Pivot(NamedTuple):
    """A figure by two fields of the rows, as Results.pivot returns it.

    Examples
    --------
    >>> table = Pivot("bytes", [16, 64], "algorithm", ["auto", "mpi"], np.eye(2))
    >>> table.rows()[0]
    {'bytes': 16, 'auto': 1.0, 'mpi': 0.0}
    """

    row_field: str
    row_labels: list[Any]
    column_field: str
    column_labels: list[Any]
    values: npt.NDArray[np.float64]

    def rows(self) -> list[dict[Any, Any]]:
        """The table as dictionaries, from which pandas makes a DataFrame.

        Returns
        -------
        list of dict
            A dictionary for each row, without what was not measured.

        Examples
        --------
        >>> Pivot("ranks", [8], "bytes", [16, 64], np.array([[2.5, np.nan]])).rows()
        [{'ranks': 8, 16: 2.5}]
        """
        return [
            {
                self.row_field: label,
                **{
                    name: float(value)
                    for name, value in zip(self.column_labels, line)
                    if not np.isnan(value)
                },
            }
            for label, line in zip(self.row_labels, self.values)
        ]


def pivot_of(rows: Sequence[Row], index: str, columns: str, values: str) -> Pivot:
    """The median of the figure where several rows meet, NaN where none does."""
    names, headings = distinct(rows, index), distinct(rows, columns)
    cells: dict[tuple[Any, Any], list[float]] = {}
    for row in rows:
        if {index, columns, values} <= row.keys():
            cells.setdefault((row[index], row[columns]), []).append(row[values])
    table = np.full((len(names), len(headings)), np.nan)
    for (name, heading), found in cells.items():
        table[names.index(name), headings.index(heading)] = statistics.median(found)
    return Pivot(index, names, columns, headings, table)


def distinct(rows: Sequence[Row], field: str) -> list[Any]:
    """The values of a field, each once: numbers ascending, words as they come."""
    found = list(dict.fromkeys(row[field] for row in rows if field in row))
    return found if any(isinstance(value, str) for value in found) else sorted(found)
