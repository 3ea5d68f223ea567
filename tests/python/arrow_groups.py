"""Groups, first rows and sorts, against those of all rows in one process."""

import decimal
import random

import arrow_random
import pyarrow as pa
from arrow_relations import of_all_ranks, visits
from arrow_shuffles import SEED, WORD, all_rows, printed, rows_of
from mpi_support import COMM, ME, P, case

import rondo.arrow
from rondo.arrow import _groups

AGGREGATIONS = [
    [("days", "sum")],
    [("days", "sum"), ("cost", "min"), ("cost", "max"), ("id", "count"), ([], "count_all")],
    [("days", "product"), ("cost", "sum")],
    [("cost", "mean"), ("days", "count_distinct")],
    [("id", "count", pa.compute.CountOptions(mode="all"))],
    [("cost", "min_max"), ("cost", "stddev")],
    [("cost", "mean"), ("days", "mean"), ("days", "variance"), ("cost", "stddev"), ("cost", "sum")],
    [("cost", "mean"), ("cost", "mean")],
    [("cost", "stddev", pa.compute.VarianceOptions(ddof=1))],
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
            require_close(all_rows(found), rows_of(due))


def require_close(found, due):
    """The same rows, but for the last digits, which depend on the order of a sum."""
    assert printed(map(rounded, found)) == printed(map(rounded, due)), (found, due)


def rounded(row):
    return [float(f"{one:.7g}") if isinstance(one, float) else one for one in row]


def measured(rank):
    """Values with a large mean and a small variance, and all kinds of numbers."""
    numbers = range(rank, rank + 40)
    nan, inf = float("nan"), float("inf")
    odd = [[1.5, None, nan, inf, -0.0][(rank + number) % 5] for number in numbers]
    return pa.table(
        {
            "key": pa.array([None if number % 7 == 0 else number % 7 for number in numbers]),
            "far": [1e9 + number % 3 for number in numbers],
            "odd": pa.array(odd, pa.float32()),
            "none": pa.array(
                [1.0 if number % 7 == 1 and rank else None for number in numbers], pa.float64()
            ),
            "large": pa.array([(1 << 63) + number for number in numbers], pa.uint64()),
            "_mean_0": [number % 2 for number in numbers],
            "flag": [number % 3 == 0 for number in numbers],
            "price": pa.array([decimal.Decimal(number) / 4 for number in numbers], PRICE),
        }
    )


PRICE = pa.decimal128(12, 2)
FLOATS = ["far", "odd", "none", "large"]
MOMENTS = [
    [(name, function) for name in FLOATS for function in ("mean", "variance", "stddev")],
    [("flag", "mean"), ("large", "count"), ("price", "sum")],
    [("price", "mean"), ("price", "stddev")],
    [("_mean_0", "mean")],
]


@case
def means_and_variances():
    table, own = pa.concat_tables([measured(rank) for rank in range(P)]), measured(ME)
    if P > 1 and ME == 0:  # as pandas has it
        own = own.set_column(3, "none", pa.nulls(len(own)))
    for aggregations in MOMENTS:
        for keys in ("key", []):
            found = rondo.arrow.group_by(own, keys, aggregations, COMM)
            due = table.group_by(keys).aggregate(aggregations)
            assert found.schema == due.schema, (found.schema, due.schema)
            require_close(all_rows(found), rows_of(due))


@case
def groups_of_all_rows():
    """One group, on rank 0, also where no rank has a row."""
    for table, rows in ((visits(ME), of_all_ranks(visits)), (visits(1), of_all_ranks(visits)[:0])):
        aggregations = [("days", "sum"), ("cost", "mean"), ("cost", "variance"), ([], "count_all")]
        for what in (
            aggregations,
            [*aggregations, ("cost", "count_distinct")],
            [([], "count_all")],
        ):
            found = rondo.arrow.group_by(table, [], what, COMM)
            due = rows.group_by([]).aggregate(what)
            assert found.schema == due.schema and found.num_rows == (ME == 0)
            require_close(all_rows(found), rows_of(due))


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
    """Groups of many rows are few rows, and columns that nobody asks for do not travel."""
    table = pa.table({"key": [1, 2] * 5000, "value": range(10000), "more": range(10000)})
    ends = pa.RunEndEncodedArray.from_arrays([10000], ["cannot travel"])
    table = table.append_column("ends", ends)
    sent = []
    shuffled = _groups.shuffled

    def observed(make, *rest):
        return shuffled(lambda: sent.append(make()) or sent[-1], *rest)

    _groups.shuffled = observed
    try:
        for function in ("sum", "count", "mean", "variance", "stddev", "min", "product"):
            rondo.arrow.group_by(table, "key", [("value", function)], COMM)
            assert sent.pop().num_rows == 2, function
        rondo.arrow.group_by(table, "key", [("value", "list")], COMM)
        assert sent.pop().schema.names == ["key", "value"]
        rondo.arrow.drop_duplicates(table.drop_columns("ends"), "key", COMM)
        assert sent.pop().num_rows == 2
    finally:
        _groups.shuffled = shuffled


@case
def first_rows_of_each_key():
    """Those of the lowest rank, in the order there."""
    for seed in range(20):
        chance = random.Random(f"{SEED} {seed}")
        schema = arrow_random.drawn_schema(chance)
        schema = {name: kind for name, kind in schema.items() if not pa.types.is_null(kind[0])}
        tables = [
            arrow_random.drawn_table(random.Random(f"{SEED} {seed} {rank}"), schema)
            for rank in range(P)
        ]
        keys = [name for name in schema if name.startswith("k")]
        places = [list(schema).index(name) for name in keys]
        due = {}
        for row in (row for table in tables for row in rows_of(table)):
            due.setdefault(repr([row[place] for place in places]), row)
        found = rondo.arrow.drop_duplicates(tables[ME], keys, COMM, slice_bytes=500)
        found.validate(full=True)
        assert printed(all_rows(found)) == printed(due.values()), seed


def unsorted(rank):
    """Rows of very different numbers, with ties, nulls, NaNs, and dictionaries."""
    chance, rows = random.Random(f"{SEED} {rank}"), 400 * (rank % 3)
    floats = [chance.choice([None, float("nan"), -0.0, 0.0, chance.random()]) for _ in range(rows)]
    texts = [chance.choice(["b", "a", None, f"{chance.random()}"]) for _ in range(rows)]
    sizes = pa.array([chance.randrange(3) for _ in range(rows)], pa.int8())
    ordered = pa.DictionaryArray.from_arrays(sizes, ["small", "middle", "large"], ordered=True)
    return pa.table(
        {
            "float": pa.array(floats, pa.float64()),
            "text": pa.array(texts, WORD.value_type).dictionary_encode(),
            "size": ordered,
            "number": pa.array([chance.randrange(10**6) for _ in range(rows)], pa.int64()),
            "place": pa.array([(rank, at) for at in range(rows)], pa.list_(pa.int64(), 2)),
        }
    )


ORDERS = [
    ("number", lambda row: (row[3],)),
    (["float", ("number", "descending")], lambda row: (*last(row[0]), -row[3])),
    ([("text", "ascending")], lambda row: last(row[1])),
    ([("size", "descending"), "text"], lambda row: (-SIZES.index(row[2]), *last(row[1]))),
]
SIZES = ["small", "middle", "large"]


def last(value):
    """A key of Python's sort with which NaNs and nulls come last, in this order."""
    return (value is None, value != value, 0 if value is None or value != value else value)


@case
def sorted_by_ranges():
    rows = [row for rank in range(P) for row in rows_of(unsorted(rank))]
    for keys, key_of in ORDERS:
        found = rondo.arrow.sort(unsorted(ME), keys, COMM, slice_bytes=5000)
        found.validate(full=True)
        assert repr(all_rows(found)) == repr(sorted(rows, key=key_of)), keys
    most = max(COMM.allgather(rondo.arrow.sort(unsorted(ME), "number", COMM).num_rows))
    assert most <= 2 * len(rows) / P, (most, len(rows))
    assert rondo.arrow.sort(unsorted(0), "number", COMM).schema.names == unsorted(0).schema.names


@case
def sorted_from_few_rows_and_many():
    """A sample stands for the rows of its rank, however many they are."""
    numbers = range(5000) if ME == 0 else range(10_000 + 100 * ME, 10_100 + 100 * ME)
    found = rondo.arrow.sort(pa.table({"number": numbers}), "number", COMM)
    rows = COMM.allgather(found.num_rows)
    assert sum(rows) == 5000 + 100 * (P - 1) and max(rows) <= 2 * sum(rows) / P, rows
