"""Shuffles, against a gather of all rows and a local partition."""

import json
import math
import random
import sys

import arrow_random
import numpy as np
import pyarrow as pa
from mpi_support import COMM, ME, P, case

import rondo.arrow
from rondo.arrow import _hashing, _types
from rondo.arrow._owners import HashOwners

SEED, TABLES, FRAMES = map(int, sys.argv[1:4])
WORD = pa.dictionary(pa.int8(), pa.string())


def rows_of(table):
    """The rows as tuples of Python's values."""
    return list(zip(*(column.to_pylist() for column in table.columns)))


def printed(rows):
    """What rows print, sorted, so that NaNs and all types can be compared."""
    return sorted(map(repr, rows))


def plain(kind):
    return kind.value_type if pa.types.is_dictionary(kind) else _types.carried(kind)


def owner_of(key, kinds):
    """Where a row belongs, from the values of its key columns, each alone in an array."""
    total = np.zeros(1, np.uint64)
    for value, kind in zip(key, kinds):
        total = _hashing.mixed(total + _hashing.hashes_of(pa.array([value], plain(kind))))
    return int(total[0]) * P >> 64


def drawn(seed):
    """The table of this rank, and its keys."""
    chance = random.Random(seed)
    schema = arrow_random.drawn_schema(chance)
    keys = [name for name in schema if name.startswith("k")]
    return arrow_random.drawn_table(random.Random(f"{seed} {ME}"), schema), keys


def all_rows(table):
    """The rows of all ranks, on all of them."""
    tables = [pa.ipc.open_stream(one).read_all() for one in COMM.allgather(written(table))]
    return [row for one in tables for row in rows_of(one)]


def written(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def random_by_keys(seed):
    table, keys = drawn(seed)
    slice_bytes = random.Random(seed).choice([200, 2000, 1 << 20])
    found = rondo.arrow.shuffle(table, keys, COMM, slice_bytes=slice_bytes)
    kinds = [table.schema.field(key).type for key in keys]
    places = [table.schema.names.index(key) for key in keys]
    due = [row for row in all_rows(table) if owner_of([row[at] for at in places], kinds) == ME]
    assert printed(rows_of(found)) == printed(due), found.schema
    found.validate(full=True)


def random_by_function(seed):
    """Rows keep the order of the ranks that have sent them, and the order that they had there."""
    table, _ = drawn(seed)
    owners = random.Random(f"owners {seed} {ME}").choices(range(P), k=table.num_rows)
    found = rondo.arrow.shuffle(table, lambda rows: owners, COMM)
    everyone = [owner for one in COMM.allgather(owners) for owner in one]
    due = [row for row, owner in zip(all_rows(table), everyone) if owner == ME]
    assert list(map(repr, rows_of(found))) == list(map(repr, due)), found.schema
    found.validate(full=True)


@case
def random_tables():
    for seed in range(SEED, SEED + TABLES):
        try:
            random_by_keys(seed)
            random_by_function(seed)
        except Exception:
            print(f"python tables.py {seed} 1 0  # repeats it")
            raise


def numbers(rows, **more):
    """A table whose keys no other rank has."""
    keys = pa.array(range(ME * rows, (ME + 1) * rows), pa.int64())
    return pa.table({"key": keys, "text": keys.cast(pa.string()), **more})


@case
def shuffled_in_every_way_to_give_a_table():
    table = numbers(30)
    due = rows_of(rondo.arrow.shuffle(table, "key", COMM))
    for given in (table.to_batches()[0], table.to_reader(), OnlyStream(table)):
        assert rows_of(rondo.arrow.shuffle(given, "key", COMM)) == due


class OnlyStream:
    """A table of another library."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@case
def shuffled_in_slices_with_nested_lists_of_fixed_size():
    grid = pa.array(
        [[[row, ME], [-row, 7]] for row in range(60)], pa.list_(pa.list_(pa.int8(), 2), 2)
    )
    table = numbers(60, grid=grid, boxed=pa.StructArray.from_arrays([grid], ["grid"]))
    found = rondo.arrow.shuffle(table, "key", COMM, slice_bytes=1000)
    for row in found.to_pylist():
        source, number = divmod(row["key"], 60)
        due = [[number, source], [-number, 7]]
        assert row["grid"] == row["boxed"]["grid"] == due, row


@case
def shuffled_where_some_ranks_have_no_rows():
    table = numbers(50 if ME == P - 1 else 0)
    found = rondo.arrow.shuffle(table, ["text", "key"], COMM)
    assert COMM.allreduce(found.num_rows) == 50
    assert rondo.arrow.shuffle(table.slice(0, 0), "key", COMM).schema == table.schema


# What the last rank has, what the others have, and the type of the result.
TYPES = [
    (pa.nulls(3), pa.nulls(3, pa.string()), pa.string()),
    *((pa.nulls(3), pa.nulls(3, kind), kind) for kind in (WORD, pa.list_(pa.int64()), pa.uuid())),
    (pa.array([[], None, [None]]), pa.array([[1], None, []]), pa.list_(pa.int64())),
    (
        pa.array([[], None, []]),
        pa.array([[text] for text in "abc"], pa.list_(WORD)),
        pa.list_(WORD),
    ),
    (pa.array([{"a": None}] * 3), pa.array([{"a": 1}] * 3), pa.struct([("a", pa.int64())])),
    (
        pa.array([{"a": 1}] * 3),
        pa.array([{"b": "x"}] * 3),
        pa.struct([("b", pa.string()), ("a", pa.int64())]),
    ),
    (
        pa.array([[1]] * 3, pa.list_(pa.field("item", pa.int8(), nullable=False))),
        pa.array([[2]] * 3, pa.list_(pa.field("element", pa.int64()))),
        pa.list_(pa.int64()),
    ),
    (pa.array([1, 2, 3]), pa.array([0.5] * 3), pa.float64()),
    (pa.array(["a"] * 3), pa.array(["b"] * 3, pa.large_string()), pa.large_string()),
    (pa.array(["a"] * 3, pa.string_view()), pa.array(["b"] * 3), pa.large_string()),
    (pa.nulls(3).dictionary_encode(), pa.array(["a", "b", "a"], WORD), WORD),
    (pa.nulls(3).dictionary_encode(), pa.nulls(3), pa.null()),
]


@case
def shuffled_where_types_differ():
    """A column without values may have no type, and Arrow finds one for others that differ."""
    for last, other, kind in TYPES:
        table = numbers(3, other=last if ME == P - 1 else other)
        found = rondo.arrow.shuffle(table, "key", COMM)
        found.validate(full=True)
        if P > 1:
            assert found.schema.field("other").type == kind, found.schema
        values = {row["key"]: row["other"] for row in found.to_pylist()}
        for rank in range(P):
            column = last if rank == P - 1 else other
            due = [values.get(rank * 3 + at) for at in range(3) if rank * 3 + at in values]
            had = [column[at].as_py() for at in range(3) if rank * 3 + at in values]
            assert [without_nulls(one) for one in due] == [without_nulls(one) for one in had]


def without_nulls(value):
    """A struct without the fields that another rank has."""
    if isinstance(value, dict):
        return {name: one for name, one in value.items() if one is not None}
    return value


@case
def shuffled_with_metadata():
    """A rank's own are kept, and those of a field are of the lowest rank that knows its type."""
    field = pa.field("other", WORD, metadata={"of": str(ME)})
    table = numbers(2).replace_schema_metadata({"rank": str(ME)})
    table = table.append_column(field, pa.array(["a", "b"], WORD))
    if ME == 0 and P > 1:
        table = table.set_column(2, "other", pa.nulls(2))
    found = rondo.arrow.shuffle(table, "key", COMM)
    assert found.schema.metadata == {b"rank": str(ME).encode()}
    assert found.schema.field("other").metadata == {b"of": b"1" if P > 1 else b"0"}


@case
def shuffled_with_the_range_of_an_index():
    """It numbers the rows that a rank had. What else pandas says is the same on all ranks."""
    index = {"kind": "range", "name": None, "start": ME, "stop": ME + 3, "step": 1}
    kind = "empty" if ME == 0 and P > 1 else "int64"
    columns = [{"field_name": name, "pandas_type": kind} for name in ("key", "text")]
    told = json.dumps({"index_columns": [index], "columns": columns})
    table = numbers(3).replace_schema_metadata({"pandas": told, "rank": str(ME)})
    found = rondo.arrow.shuffle(table, "key", COMM).schema.metadata
    assert found[b"rank"] == str(ME).encode()
    due = [{**column, "pandas_type": "int64"} for column in columns]
    assert json.loads(found[b"pandas"]) == {"index_columns": [], "columns": due}


@case
def equal_keys_meet():
    """Whatever their types, and in all tables."""
    keys = list(range(-50, 50))
    texts = [str(key) for key in keys]
    same = [
        [pa.array(keys, kind) for kind in (pa.int8(), pa.int64())],
        [pa.array(keys, kind) for kind in (pa.float32(), pa.float64())],
        [pa.array(texts), pa.array(texts, pa.large_string()), pa.array(texts, pa.string_view())],
        [
            pa.array(texts),
            pa.array(texts).dictionary_encode(),
            pa.chunked_array([texts[:7], texts[7:]]),
        ],
    ]
    for columns in same:
        tables = [pa.table({"key": column}) for column in columns]
        found = [rondo.arrow.shuffle(one, "key", COMM).num_rows for one in tables]
        assert len(set(found)) == 1, [column.type for column in columns]


@case
def equal_floats_meet():
    """On communicators of many ranks, too: both zeros, and NaNs of different bits."""
    for kind in (np.float16, np.float32, np.float64):
        bits = np.array([math.nan, -math.nan], kind).view(f"u{np.dtype(kind).itemsize}")
        nans = np.append(bits, bits | 1).view(kind)
        for values in (np.array([0.0, -0.0], kind), nans):
            table = pa.table({"key": values})
            for ranks in (2, 10, 16, 1000):
                owners = HashOwners(table.schema, "key", ranks).of(0, table.to_batches()[0])
                assert len(set(owners.tolist())) == 1, (values, ranks, owners)


@case
def unions():
    kinds, numbers_of, texts = [ME % 2, 1, 0, 1], [ME, 1, 2, 3], ["a", f"{ME}", "c", "d"]
    sparse = pa.UnionArray.from_sparse(
        pa.array(kinds, pa.int8()), [pa.array(numbers_of), pa.array(texts)]
    )
    dense = pa.UnionArray.from_dense(
        pa.array(kinds, pa.int8()),
        pa.array([0, 1, 1, 2], pa.int32()),
        [pa.array([ME, 5]), pa.array(["x", f"{ME}", "y"])],
    )
    for union in (sparse, dense):
        found = rondo.arrow.shuffle(numbers(4, union=union), "key", COMM)
        found.validate(full=True)
        assert found.schema.field("union").type == union.type
        assert printed(all_rows(found)) == printed(all_rows(numbers(4, union=union)))


@case
def what_arrives_is_not_copied():
    """Rondo's memory is used where it is, and not Arrow's."""
    table = numbers(20000)
    shuffled = rondo.arrow.shuffle(table, "key", COMM, slice_bytes=1 << 16)
    before = pa.total_allocated_bytes()
    found = rondo.arrow.shuffle(table, "key", COMM, slice_bytes=1 << 16)
    kept = pa.total_allocated_bytes() - before
    assert P == 1 or kept < found.nbytes / 20, (kept, found.nbytes)
    assert found.equals(shuffled)


@case
def slices_bound_what_is_packed():
    table = numbers(20000)
    for slice_bytes in (1 << 14, 1 << 17):
        found = rondo.arrow.shuffle(table, "key", COMM, slice_bytes=slice_bytes)
        if P > 1:
            assert max(batch.nbytes for batch in found.to_batches()) <= slice_bytes
            assert found["key"].num_chunks >= table.nbytes / slice_bytes
