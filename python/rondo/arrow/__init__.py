"""Shuffles, joins and groups of tables that are spread over ranks, with pyarrow's tables.

Every rank has some of the rows, and all columns of a row travel together in one exchange without
receive counts. A table is a pyarrow.Table or RecordBatch, a DataFrame of pandas or polars, or any
other object with Arrow's interchange `__arrow_c_stream__`. What is returned is a pyarrow.Table.
All functions are collective. What is wrong on one rank raises an error on all ranks.
`pip install "rondo[arrow]"` installs what they need. Importing this module loads pyarrow, mpi4py
and the MPI library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rondo._library import MPI
from rondo.arrow import _groups
from rondo.arrow._library import pa
from rondo.arrow._owners import By, Keys
from rondo.arrow._shuffle import shuffled
from rondo.arrow._slices import SLICE_BYTES
from rondo.arrow._types import Tabular, table_of

__all__ = ["SLICE_BYTES", "Tabular", "group_by", "join", "shuffle"]


def shuffle(
    table: Tabular, by: By, comm: MPI.Intracomm, *, slice_bytes: int = SLICE_BYTES
) -> pa.Table:
    """Send every row to the rank that its key, or a function, says. Collective.

    Rows with equal keys go to the same rank. Which one it is depends on the values of the keys and
    on the number of ranks alone, so rows of several tables with equal keys meet. Nulls are equal to
    each other, and so are NaNs. Dictionaries are unified: all ranks end with the same one. Strings
    and bytes that come as views return as large strings and bytes.

    Parameters
    ----------
    table
        The rows of this rank, maybe none. All ranks have the same columns with the same types. A
        column of type null takes the type that it has on other ranks.
    by
        The name of a key column, or several, or a function. The function is called once with this
        rank's pyarrow.Table and returns the rank of every row, as an array of integers.
    comm
        The communicator.
    slice_bytes
        About how many bytes a rank sends at a time. Besides the tables, a rank needs memory for
        about two slices, and for what it receives.

    Returns
    -------
    Table
        The rows that this rank has received, by the ranks that have sent them and then in their
        order there. Each slice of each rank is a chunk. The schema's metadata are those of
        this rank's table; those of fields are dropped.

    Raises
    ------
    KeyError
        If a key is not the name of one column.
    TypeError
        If an argument, a column or what the function returns has a wrong type, or if a column has
        different types on two ranks.
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
    return shuffled(lambda: table_of(table), by, comm, slice_bytes)


def join(
    left: Tabular,
    right: Tabular,
    keys: Keys,
    comm: MPI.Intracomm,
    *,
    right_keys: Keys | None = None,
    slice_bytes: int = SLICE_BYTES,
    **options: Any,
) -> pa.Table:
    """Join two tables, each spread over the ranks. Collective.

    Both tables are shuffled by their keys. Then every rank joins what it has with pyarrow's
    Table.join.

    Parameters
    ----------
    left
        The rows of this rank in one table, as in `shuffle`.
    right
        The rows of this rank in the other table.
    keys
        The name of the left table's key column, or several.
    comm
        The communicator.
    right_keys
        The names that the keys have in the right table; by default the same.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.
    **options
        What else pyarrow's Table.join takes: join_type, left_suffix, right_suffix, coalesce_keys,
        use_threads, filter_expression.

    Returns
    -------
    Table
        The rows of the join that this rank has found, in any order. Together, the ranks have the
        rows that a single process would find.

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
    one = shuffled(lambda: table_of(left), keys, comm, slice_bytes)
    other_keys = keys if right_keys is None else right_keys
    other = shuffled(lambda: table_of(right), other_keys, comm, slice_bytes)
    return one.join(other, keys, right_keys=right_keys, **options)


def group_by(
    table: Tabular,
    keys: Keys,
    aggregations: Sequence[Any],
    comm: MPI.Intracomm,
    *,
    slice_bytes: int = SLICE_BYTES,
    use_threads: bool = True,
) -> pa.Table:
    """Group the rows of all ranks by keys, and aggregate each group. Collective.

    pyarrow's Table.group_by does the work on each rank. Sums, products, counts, minima, maxima, any
    and all are aggregated before the shuffle too, so that only groups travel. With any other
    aggregation, or with options, the rows travel.

    Parameters
    ----------
    table
        The rows of this rank, as in `shuffle`.
    keys
        The name of the key column, or of several.
    aggregations
        What pyarrow's TableGroupBy.aggregate takes, as in [("price", "sum"), ([], "count_all")].
        The same on all ranks.
    comm
        The communicator.
    slice_bytes
        About how many bytes a rank sends at a time, as in `shuffle`.
    use_threads
        Whether a rank uses several threads.

    Returns
    -------
    Table
        The groups that this rank has found: the keys, then a column for each aggregation. Each
        group is on one rank, in any order.

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
