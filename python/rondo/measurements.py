"""What rondo-bench has measured, to be looked at in a notebook."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
import numpy.typing as npt

from rondo.files import read_text
from rondo.pivots import Pivot, distinct, pivot_of
from rondo.results import Group, Row, Times, rows_of, times_by_group

if TYPE_CHECKING:
    from rondo.plots import Plot

__all__ = ["Results"]

_SHOWN = ("collective", "distribution", "nodes", "ranks", "bytes", "algorithm")
_FIGURES = ("median_us", "low_us", "high_us", "speedup")
_MOST_SHOWN = 40  # rows in a notebook
_MOST_LISTED = 6  # values of a field in a line


class Results:
    """The rows of rondo-bench: read, filtered, laid out as a table and plotted.

    A notebook shows them as a table. Results never change: filtering returns other ones.

    Parameters
    ----------
    rows
        Rows as rondo-bench writes them with `--format json`.

    Examples
    --------
    >>> import rondo
    >>> row = {"collective": "alltoall", "ranks": 8, "bytes": 64}
    >>> mpi = {**row, "algorithm": "mpi", "median_us": 30.0, "speedup": 1.0}
    >>> own = {**row, "algorithm": "node_aware", "median_us": 10.0, "speedup": 3.0}
    >>> results = rondo.Results([mpi, own])
    >>> results
    Results(2 rows; collective=alltoall; ranks=8; bytes=64; algorithm=mpi, node_aware)
    >>> results.where(algorithm="node_aware").values("speedup")
    array([3.])
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)

    @classmethod
    def read(cls, *files: str | Path) -> Results:
        """Read what `rondo bench --save` or rondo-bench has written.

        Parameters
        ----------
        *files
            Files of JSON lines. Other lines in them are ignored.

        Returns
        -------
        Results
            The rows of all files, in their order.

        Raises
        ------
        OSError
            If a file cannot be read.
        ValueError
            If a file has no rows, or one that rondo-bench does not write.

        Examples
        --------
        >>> def speedups(path):
        ...     return Results.read(path).pivot(values="speedup").rows()
        """
        rows: list[Row] = []
        for file in files:
            try:
                found = rows_of(read_text(Path(file)).splitlines())
            except ValueError as error:
                raise ValueError(f"cannot read {file}: {error}") from error
            if not found:
                raise ValueError(f"{file} has no rows of rondo-bench, written with --format json")
            rows += found
        return cls(rows)

    def where(self, **fields: Any) -> Results:
        """The rows whose fields have these values.

        Parameters
        ----------
        **fields
            A value for each field; or several, one of which the field has; or a function that
            says whether a value is wanted.

        Returns
        -------
        Results
            Those rows.

        Raises
        ------
        KeyError
            If no row has such a field.

        Examples
        --------
        >>> rows = [{"ranks": ranks, "algorithm": "auto"} for ranks in (2, 8, 64)]
        >>> len(Results(rows).where(ranks=[2, 8], algorithm="auto"))
        2
        >>> len(Results(rows).where(ranks=lambda ranks: ranks > 8))
        1
        """
        for name in fields:
            self._require(name)
        wanted = {name: _test(value) for name, value in fields.items()}
        return Results(
            row
            for row in self._rows
            if all(name in row and test(row[name]) for name, test in wanted.items())
        )

    def distinct(self, field: str) -> list[Any]:
        """The values that a field has, each once.

        Parameters
        ----------
        field
            As in "bytes".

        Returns
        -------
        list
            Numbers ascending; words in the order of their first rows.

        Raises
        ------
        KeyError
            If no row has such a field.

        Examples
        --------
        >>> Results([{"bytes": 64}, {"bytes": 16}, {"bytes": 64}]).distinct("bytes")
        [16, 64]
        """
        self._require(field)
        return distinct(self._rows, field)

    def values(self, field: str) -> npt.NDArray[Any]:
        """A field of all rows.

        Parameters
        ----------
        field
            As in "median_us".

        Returns
        -------
        ndarray
            Its values, in the order of the rows.

        Raises
        ------
        KeyError
            If a row has no such field.

        Examples
        --------
        >>> Results([{"speedup": 1.5}, {"speedup": 0.5}]).values("speedup").tolist()
        [1.5, 0.5]
        """
        return np.array([row[field] for row in self._rows])

    def pivot(
        self, index: str = "bytes", columns: str = "algorithm", values: str = "median_us"
    ) -> Pivot:
        """A figure by two fields: a row for each value of one, a column for each of the other.

        Parameters
        ----------
        index
            The field that names the rows.
        columns
            The field that names the columns.
        values
            The figure. Where several rows meet it is their median, so filter first what is not to
            be mixed; where none does it is NaN.

        Returns
        -------
        Pivot
            The names and a two-dimensional array.

        Raises
        ------
        KeyError
            If no row has such a field.

        Examples
        --------
        >>> rows = [{"bytes": 16, "algorithm": "auto", "median_us": time} for time in (3.0, 5.0)]
        >>> Results(rows).pivot().values
        array([[4.]])
        """
        for field in (index, columns, values):
            self._require(field)
        return pivot_of(self._rows, index, columns, values)

    def groups(self) -> dict[Group, Times]:
        """What may be compared: the rows of one collective, distribution, layout and library.

        Returns
        -------
        dict
            The times of each group.

        Examples
        --------
        >>> Results([]).groups()
        {}
        """
        return times_by_group(self._rows)

    def plot(self, kind: str = "speedup-size") -> Plot:
        """Plot the rows, which must be of one group. It needs matplotlib.

        Parameters
        ----------
        kind
            "speedup-size", the speedup against S; "speedup", over S and P; "size", time against S;
            "ranks", time against P; or "regions", the fastest algorithm over S and P.

        Returns
        -------
        Plot
            What a notebook shows, with `save(path)` and the `figure` of matplotlib. What is shaded
            are the 95 % intervals of the medians, or all that they allow a speedup to be.

        Raises
        ------
        ModuleNotFoundError
            If there is no matplotlib.
        ValueError
            If there is no such plot, or there are no rows, or rows of several groups.

        Examples
        --------
        >>> def picture(path):
        ...     return Results.read(path).where(collective="alltoallv").plot().save("speedup.svg")
        """
        from rondo import plots

        if kind not in plots.PLOTS:
            raise ValueError(f"no plot {kind!r}; choose from {', '.join(plots.PLOTS)}")
        groups = self.groups()
        if len(groups) != 1:
            there = "; ".join(f"{one.title()}, {one.against()}" for one in groups) or "none"
            raise ValueError(f"a plot has one group of rows, here are {len(groups)}: {there}")
        ((group, times),) = groups.items()
        return plots.draw(group, times, kind)

    def _require(self, field: str) -> None:
        if self._rows and not any(field in row for row in self._rows):
            known = dict.fromkeys(name for row in self._rows for name in row)
            raise KeyError(f"no row has {field!r}; they have {', '.join(known)}")

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __add__(self, other: Results) -> Results:
        return Results((*self._rows, *other))

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        parts = [
            f"{field}={_listed(distinct(self._rows, field))}"
            for field in _SHOWN
            if any(field in row for row in self._rows)
        ]
        return f"Results({'; '.join([rows, *parts])})"

    def _repr_html_(self) -> str:
        names = [name for name in (*_SHOWN, *_FIGURES) if any(name in row for row in self._rows)]
        lines = [_line("th", names)]
        lines += [
            _line("td", [row.get(name, "") for name in names]) for row in self._rows[:_MOST_SHOWN]
        ]
        left = len(self) - _MOST_SHOWN
        more = f"<p>and {left} more rows</p>" if left > 0 else ""
        return f"<table>{''.join(lines)}</table>{more}"


def _test(wanted: Any) -> Callable[[Any], bool]:
    if callable(wanted):
        return lambda value: bool(wanted(value))
    if isinstance(wanted, Collection) and not isinstance(wanted, str):
        return lambda value: value in wanted
    return lambda value: bool(value == wanted)


def _listed(values: list[Any]) -> str:
    """A few in full, many by their ends."""
    if len(values) > _MOST_LISTED:
        values = [*values[: _MOST_LISTED - 2], "...", values[-1]]
    return ", ".join(map(str, values))


def _line(tag: str, cells: Iterable[Any]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
