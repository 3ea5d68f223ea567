"""Shuffles, joins, groups and sorts of tables that are spread over ranks, with pyarrow's tables.

Every rank has some of the rows, and all columns of a row travel together in one exchange without
receive counts. A table is a pyarrow.Table or RecordBatch, a DataFrame of pandas or polars, or any
other object with Arrow's interchange `__arrow_c_stream__`. What is returned is a pyarrow.Table.
All functions are collective. What is wrong on one rank raises an error on all ranks.
`pip install "rondo[arrow]"` installs what they need; a `rondo.Group` needs no MPI.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rondo.arrow import _groups, _joins, _sort
from rondo.arrow._library import pa
from rondo.arrow._owners import By, Keys
from rondo.arrow._ranks import Ranks
from rondo.arrow._shuffle import shuffled
from rondo.arrow._slices import SLICE_BYTES
from rondo.arrow._sort import Orders
from rondo.arrow._types import Tabular, table_of

__all__ = ["SLICE_BYTES", "Tabular", "drop_duplicates", "group_by", "join", "shuffle", "sort"]


def shuffle(table: Tabular, by: By, comm: Ranks, *, slice_bytes: int = SLICE_BYTES) -> pa.Table:
    """Send every row to the rank that its key, or a function, says. Collective.

    Rows with equal keys go to the same rank. Which one it is depends on the values of the keys and
    on the number of ranks alone, so rows of several tables with equal keys meet. Nulls are equal to
    each other, and so are NaNs. Dictionaries are unified: all ranks end with the same one. Strings
    and bytes that come as views return as large strings and bytes.

    Parameters
    ----------
    table
        The rows of this rank, maybe none. All ranks have the same columns. Where their types
        differ, all take the type that Arrow finds for them (pyarrow.unify_schemas, "permissive").
        The index of a frame of pandas becomes columns.
    by
        The name of a key column, or several, or a function. The function is called once with this
        rank's pyarrow.Table and returns the rank of every row, as an array of integers.
    comm
        The communicator of mpi4py, or a `rondo.Group`.
    slice_bytes
        About how many bytes a rank sends at a time. Besides the tables, a rank needs memory for
        about two slices, and for what it receives.

    Returns
    -------
    Table
        The rows that this rank has received, by the ranks that have sent them and then in their
        order there. Each slice of each rank is a chunk. The schema's metadata are those of
        this rank's table, except for pandas's, which are the same on all ranks.

    Raises
    ------
    KeyError
        If a key is not the name of one column.
    TypeError
        If an argument, a column or what the function returns has a wrong type, or if no type has
        the values of a column of two ranks.
    ValueError
        If the ranks have different columns, or the function does not return one rank for each row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rondo.arrow
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> table = pa.table({"city": ["Rome", "Oslo"], "rank": [comm.rank] * 2})
    >>> mine = rondo.arrow.shuffle(table, "city", comm)
    >>> all(comm.size == mine["city"].to_pylist().count(city) for city in mine["city"].to_pylist())
    True

    By a function, each rank's first row to rank 0, and its second row to the last rank:

    >>> mine = rondo.arrow.shuffle(table, lambda rows: [0, comm.size - 1], comm)
    >>> mine.num_rows == comm.size * [0, comm.size - 1].count(comm.rank)
    True
    """
    return shuffled(lambda: table_of(table), by, comm, slice_bytes)()


def join(
    left: Tabular,
    right: Tabular,
    keys: Keys,
    comm: Ranks,
    *,
    right_keys: Keys | None = None,
    broadcast: Literal["left", "right"] | None = None,
    slice_bytes: int = SLICE_BYTES,
    **options: Any,
) -> pa.Table:
    """Join two tables, each spread over the ranks. Collective.

    Both tables are shuffled by their keys, or a small one is sent to all ranks and the other one
    stays where it is. Then every rank joins what it has with pyarrow's Table.join.

    Parameters
    ----------
    left
        The rows of this rank in one table, as in `shuffle`.
    right
        The rows of this rank in the other table.
    keys
        The name of the left table's key column, or several.
    comm
        The communicator of mpi4py, or a `rondo.Group`.
    right_keys
        The names that the keys have in the right table; by default the same.
    broadcast
        The side whose rows all go to all ranks, each of which must have the memory for them. A
        right table can be broadcast in joins of the types inner, left outer, left semi and left
        anti, and a left one in the corresponding others. By default none.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.
    **options
        What else pyarrow's Table.join takes: join_type, left_suffix, right_suffix, coalesce_keys,
        use_threads, filter_expression.

    Returns
    -------
    Table
        The rows of the join that this rank has found, in any order. Together, the ranks have the
        rows that a single process would find. The index of a frame of pandas is left out, except
        for levels that are keys.

    Raises
    ------
    KeyError, TypeError, ValueError
        As in `shuffle`; and the errors of Table.join.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rondo.arrow
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> people = pa.table({"id": [comm.rank], "name": [f"person {comm.rank}"]})
    >>> visits = pa.table({"id": [(comm.rank + 1) % comm.size] * 2, "day": [1, 2]})
    >>> found = rondo.arrow.join(visits, people, "id", comm)
    >>> all(row["name"] == f"person {row['id']}" for row in found.to_pylist())
    True
    """
    sides = {"left": (left, keys), "right": (right, keys if right_keys is None else right_keys)}
    return _joins.joined(sides, comm, slice_bytes, broadcast, options)


def group_by(
    table: Tabular,
    keys: Keys,
    aggregations: Sequence[Any],
    comm: Ranks,
    *,
    slice_bytes: int = SLICE_BYTES,
    use_threads: bool = True,
) -> pa.Table:
    """Group the rows of all ranks by keys, and aggregate each group. Collective.

    pyarrow's Table.group_by does the work on each rank. Sums, products, counts, means, variances,
    standard deviations, minima, maxima, any and all are aggregated before the shuffle too, so that
    only groups travel. With any other aggregation, with options (except those of counts), and with
    means, variances and standard deviations of decimals, the rows travel. Columns that are neither
    keys nor aggregated do not.

    Parameters
    ----------
    table
        The rows of this rank, as in `shuffle`.
    keys
        The name of the key column, or of several. With an empty list, all rows are one group.
    aggregations
        What pyarrow's TableGroupBy.aggregate takes, as in [("price", "sum"), ([], "count_all")].
        The same on all ranks.
    comm
        The communicator of mpi4py, or a `rondo.Group`.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.
    use_threads
        Whether a rank uses several threads.

    Returns
    -------
    Table
        The groups that this rank has found: the keys, then a column for each aggregation. Each
        group is on one rank, in any order. The group of all rows is on rank 0.

    Raises
    ------
    KeyError, TypeError, ValueError
        As in `shuffle`; and the errors of TableGroupBy.aggregate.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rondo.arrow
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> sales = pa.table({"city": ["Rome", "Oslo"], "price": [1.5, 2.5]})
    >>> groups = rondo.arrow.group_by(sales, "city", [("price", "sum")], comm).to_pylist()
    >>> due = {"Rome": 1.5 * comm.size, "Oslo": 2.5 * comm.size}
    >>> all(group["price_sum"] == due[group["city"]] for group in groups)
    True
    """
    return _groups.grouped(table, keys, aggregations, comm, slice_bytes, use_threads)


def drop_duplicates(
    table: Tabular, keys: Keys, comm: Ranks, *, slice_bytes: int = SLICE_BYTES
) -> pa.Table:
    """Keep one row of all that have the same keys. Collective.

    It is the first row of the lowest rank that has one. Each rank drops its own duplicates before
    the shuffle.

    Parameters
    ----------
    table
        The rows of this rank, as in `shuffle`.
    keys
        The name of the key column, or of several.
    comm
        The communicator of mpi4py, or a `rondo.Group`.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.

    Returns
    -------
    Table
        The rows that this rank has received and kept, in the order of `shuffle`.

    Raises
    ------
    KeyError, TypeError, ValueError
        As in `shuffle`; and the errors of pyarrow's Table.group_by.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rondo.arrow
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> visits = pa.table({"city": ["Rome", "Oslo", "Rome"], "rank": [comm.rank] * 3})
    >>> first = rondo.arrow.drop_duplicates(visits, "city", comm)
    >>> comm.allreduce(first.num_rows), set(first["rank"].to_pylist()) <= {0}
    (2, True)
    """
    return _groups.distinct(table, keys, comm, slice_bytes)


def sort(table: Tabular, keys: Orders, comm: Ranks, *, slice_bytes: int = SLICE_BYTES) -> pa.Table:
    """Sort the rows of all ranks. Collective.

    A sample of the keys says which range of them each rank gets. Rows with equal keys are on one
    rank, in the order of the ranks that had them and then in their order there. So a value that
    most rows have makes most rows go to one rank. Nulls and NaNs come last, and dictionaries are
    sorted by their values, or in their own order if they are ordered.

    Parameters
    ----------
    table
        The rows of this rank, as in `shuffle`.
    keys
        The name of a key column, or several, the most important one first. Each may be a pair of a
        name and "ascending" or "descending".
    comm
        The communicator of mpi4py, or a `rondo.Group`.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.

    Returns
    -------
    Table
        The rows of this rank's range. Those of rank 0 are the first of all, then come those of rank
        1, and so on.

    Raises
    ------
    KeyError, TypeError, ValueError
        As in `shuffle`; and the errors of pyarrow.compute.sort_indices.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rondo.arrow
    >>> from mpi4py import MPI
    >>> comm = MPI.COMM_WORLD
    >>> table = pa.table({"day": [30 + comm.rank, 10 + comm.rank, 20 + comm.rank]})
    >>> mine = rondo.arrow.sort(table, [("day", "descending")], comm)["day"].to_pylist()
    >>> days = [day for one in comm.allgather(mine) for day in one]
    >>> len(days) == 3 * comm.size and days == sorted(days, reverse=True)
    True
    """
    return _sort.sorted_by_range(table, keys, comm, slice_bytes)
