"""Joins and groups, against pyarrow's own of all rows in one process."""

import pyarrow as pa
from arrow_shuffles import all_rows, printed, rows_of
from mpi_support import COMM, ME, P, case, require_raised

import rondo.arrow

JOINS = [
    "inner",
    "left outer",
    "right outer",
    "full outer",
    "left semi",
    "right semi",
    "left anti",
    "right anti",
]


def people(rank):
    """Some without a number, and some numbers twice."""
    numbers = [None, *range(rank, rank + 12), rank]
    names = [f"{rank} {number}" for number in numbers]
    cities = pa.array([["Rome", "Oslo", None][(rank + at) % 3] for at in range(len(numbers))])
    return pa.table({"id": numbers, "name": names, "city": cities.dictionary_encode()})


def visits(rank):
    numbers = [None, *range(3 * rank, 3 * rank + 9)] if rank % 2 == 0 else []
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "city": pa.array(
                [["Rome", "Paris"][at % 2] for at in range(len(numbers))], pa.string()
            ),
            "days": pa.array([at % 5 for at in range(len(numbers))], pa.int32()),
            "cost": pa.array([at / 4 for at in range(len(numbers))], pa.float64()),
        }
    )


def of_all_ranks(make):
    return pa.concat_tables([make(rank) for rank in range(P)]).unify_dictionaries()


def require_joined(found, due):
    assert found.schema.names == due.schema.names
    assert printed(all_rows(found)) == printed(rows_of(due))


@case
def joins_of_every_kind():
    left, right = of_all_ranks(people), of_all_ranks(visits)
    for kind in JOINS:
        options = {"join_type": kind, "left_suffix": "_l", "right_suffix": "_r"}
        found = rondo.arrow.join(people(ME), visits(ME), "id", COMM, **options)
        require_joined(found, left.join(right, "id", **options))


@case
def joins_by_other_names():
    renamed = [visits(rank).rename_columns(["who", "where", "days", "cost"]) for rank in range(P)]
    options = {"right_keys": "who", "join_type": "inner"}
    found = rondo.arrow.join(people(ME), renamed[ME], "id", COMM, slice_bytes=100, **options)
    require_joined(found, of_all_ranks(people).join(pa.concat_tables(renamed), "id", **options))


@case
def joins_by_several_keys():
    def plain(rank):
        table = people(rank)
        return table.set_column(2, "city", table["city"].cast(pa.string()))

    found = rondo.arrow.join(plain(ME), visits(ME), ["id", "city"], COMM)
    require_joined(found, of_all_ranks(plain).join(of_all_ranks(visits), ["id", "city"]))


AGGREGATIONS = [
    [("days", "sum")],
    [("days", "sum"), ("cost", "min"), ("cost", "max"), ("id", "count"), ([], "count_all")],
    [("days", "product"), ("cost", "sum")],
    [("cost", "mean"), ("days", "count_distinct")],
    [("id", "count", pa.compute.CountOptions(mode="all"))],
    [("cost", "min_max"), ("cost", "stddev")],
    [],
]


@case
def groups_of_every_kind():
    table = of_all_ranks(visits)
    for keys in ("city", ["city"], ["id", "city"], "days"):
        for aggregations in AGGREGATIONS:
            found = rondo.arrow.group_by(visits(ME), keys, aggregations, COMM)
            due = table.group_by(keys).aggregate(aggregations)
            assert found.schema == due.schema
            assert printed(all_rows(found)) == printed(rows_of(due)), (keys, aggregations)


@case
def groups_of_a_column_without_a_type():
    """As pandas has where a rank knows no values."""
    value = pa.nulls(2) if ME == 0 and P > 1 else pa.array([0.5, 1.5])
    table = pa.table({"key": [1, 1], "value": value})
    for function in ("sum", "product", "min", "max", "count"):
        found = rondo.arrow.group_by(table, "key", [("value", function)], COMM)
        due = {"sum": 2.0, "product": 0.75, "min": 0.5, "max": 1.5, "count": 2}[function]
        filled = max(P - 1, 1)
        due = due * filled if function in ("sum", "count") else due
        due = due**filled if function == "product" else due
        assert all_rows(found) == [(1, due)], (function, all_rows(found))


@case
def only_groups_travel():
    """Sums of many rows are few rows."""
    table = pa.table({"key": [1, 2] * 5000, "value": range(10000)})
    found = rondo.arrow.group_by(table, "key", [("value", "sum"), ("value", "mean")], COMM)
    again = rondo.arrow.group_by(table, "key", [("value", "sum")], COMM)
    assert sorted(all_rows(found.select(["key", "value_sum"]))) == sorted(all_rows(again))
    assert sorted(all_rows(again)) == [(1, 24995000 * P), (2, 25000000 * P)]


@case
def relations_that_are_wrong_on_one_rank():
    good, wrong = visits(ME), visits(ME).rename_columns(["who", "city", "days", "cost"])
    mine = wrong if ME == P - 1 else good
    require_raised(KeyError, "no column 'id'", rondo.arrow.join, good, mine, "id", COMM)
    require_raised(KeyError, "no column 'id'", rondo.arrow.join, mine, good, "id", COMM)
    require_raised(
        KeyError, "no column 'id'", rondo.arrow.group_by, mine, "id", [("days", "sum")], COMM
    )
    for wrong_function in ([("days", "nothing")], [("days", [])], 3):
        functions = wrong_function if ME == P - 1 else [("days", "sum")]
        require_raised(Exception, "", rondo.arrow.group_by, good, "id", functions, COMM)
