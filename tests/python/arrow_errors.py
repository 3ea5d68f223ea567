"""What is wrong on one rank is an error on all ranks, and the communicator can be used again."""

from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from mpi_support import COMM, ME, P, case, require_raised

import rondo.arrow
from rondo.arrow import _agreement, _shuffle, _stream
from rondo.arrow._slices import slices_of

LAST = P - 1
GOOD = pa.table({"key": [1, 2], "text": ["a", "b"]})


class Row(NamedTuple):
    """What one rank gives, the kind of the error, and what it says on every rank."""

    kind: type
    sentence: str
    table: Any = GOOD
    by: Any = "key"
    options: dict = {}


def raising(error):
    def function(table):
        raise error

    return function


class Stopped(BaseException):
    """As polars raises where its own code fails."""


class Unreadable:
    def __arrow_c_stream__(self, requested_schema=None):
        raise Stopped("while the table was read")


def in_list(array):
    return pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), array)


WORDS = pa.array(["a", "b"]).dictionary_encode()
VIEWS = pa.array([[[1]], []], pa.list_(pa.list_view(pa.int64())))
REE = pa.RunEndEncodedArray.from_arrays([1, 2], [5, 6])
# Of the last rank alone.
ROWS = [
    Row(KeyError, "there is no column 'no': the columns are key, text", by="no"),
    Row(KeyError, "there is no column 'no'", by=["key", "no"]),
    Row(KeyError, "2 columns are called 'key'", pa.table([[1], [2]], names=["key", "key"])),
    Row(TypeError, "expecting names of columns, got []", by=[]),
    Row(TypeError, "expecting names of columns, got [3]", by=[3]),
    Row(TypeError, "expecting names of columns, got 3", by=3),
    Row(TypeError, "expecting a table, got int", 3),
    Row(TypeError, "expecting a table, got dict", {"key": [1]}),
    Row(TypeError, "column 'key': values of type list<", pa.table({"key": [[1], [2]]})),
    Row(TypeError, "column 'ree' has type run_end_encoded<", GOOD.append_column("ree", REE)),
    Row(TypeError, "column 'views' has type list<", GOOD.append_column("views", VIEWS)),
    Row(TypeError, "slice_bytes must be an int, got 'no'", options={"slice_bytes": "no"}),
    Row(ValueError, "slice_bytes must be at least 1, got 0", options={"slice_bytes": 0}),
    Row(ValueError, "shape (1,) for 2 rows", by=lambda table: [0]),
    Row(ValueError, "shape () for 2 rows", by=lambda table: 0),
    Row(ValueError, "shape (2, 1) for 2 rows", by=lambda table: [[0], [0]]),
    Row(TypeError, "values of type float64", by=lambda table: [0.0, 1.0]),
    Row(TypeError, "integers, without nulls", by=lambda table: pa.array([0, None])),
    Row(TypeError, "values of type bool", by=lambda table: table["key"].to_numpy() > 1),
    Row(ValueError, f"returned {P} for row 1", by=lambda table: [0, P]),
    Row(ValueError, "returned -1 for row 0", by=lambda table: [-1, 0]),
    Row(ZeroDivisionError, "by zero", by=lambda table: [1 // 0]),
    Row(ValueError, "the table has 2 rows, but no columns", GOOD.select([]), lambda table: [0, 0]),
    Row(ValueError, "of the program", by=raising(ValueError("of the program"))),
    Row(KeyboardInterrupt, "pressed", by=raising(KeyboardInterrupt("pressed"))),
    Row(SystemExit, "3", by=raising(SystemExit(3))),
    Row(Stopped, "of the program", by=raising(Stopped("of the program"))),
    Row(Stopped, "while the table was read", Unreadable()),
]
if find_spec("polars"):
    import polars as pl

    for kind, value in ((pl.Int128, 1), (pl.Object, object())):
        frame = pl.DataFrame({"key": pl.Series([value], dtype=kind)})
        ROWS.append(Row(TypeError, f"column 'key' has type {kind}, which cannot", frame))
# Of the last rank, and good alone: the others have another table.
DIFFERENT = [
    Row(
        TypeError,
        "column 'key' is int64 on rank 0, but string on rank {last}",
        pa.table({"key": ["0.5"], "text": ["a"]}),
    ),
    Row(
        TypeError,
        "column 'text' is string on rank 0, but dictionary<values=string, indices=int32, ordered=0>"
        " on rank {last}",
        GOOD.set_column(1, "text", GOOD["text"].dictionary_encode()),
    ),
    Row(
        ValueError,
        "column 1 is 'other' on rank {last}, but 'text' on rank 0",
        GOOD.rename_columns(["key", "other"]),
    ),
    Row(
        ValueError,
        "rank {last} has a column 'more', which rank 0 lacks",
        GOOD.append_column("more", [[1, 2]]),
    ),
    Row(ValueError, "rank 0 has a column 'text', which rank {last} lacks", GOOD.select(["key"])),
]


def require_usable():
    assert COMM.allreduce(rondo.arrow.shuffle(GOOD, "key", COMM).num_rows) == 2 * P


def is_builtin(kind):
    return kind in (KeyError, TypeError, ValueError)


@case
def wrong_on_one_rank():
    for row in ROWS:
        arguments = (row.table, row.by) if ME == LAST else (GOOD, "key")
        options = row.options if ME == LAST else {}
        kind = row.kind if ME == LAST or is_builtin(row.kind) else RuntimeError
        told = row.sentence if ME == LAST else f"rank {LAST}: "
        call = lambda: rondo.arrow.shuffle(*arguments, COMM, **options)  # noqa: B023, E731
        require_raised(kind, told, call)
        require_raised(kind, row.sentence, call)
        require_usable()


@case
def different_on_one_rank():
    if P == 1:
        return
    for row in DIFFERENT:
        table = row.table if ME == LAST else GOOD
        require_raised(
            row.kind, row.sentence.format(last=LAST), rondo.arrow.shuffle, table, "key", COMM
        )
        require_usable()


def ordered(values):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(values), ordered=True)
    return pa.table({"key": column})


@case
def different_on_one_rank_inside():
    """A number that is none on another rank's type, and dictionaries that would be lost."""
    if P == 1:
        return
    half = pa.table({"key": [0.5]})
    large = half if ME != LAST else pa.table({"key": [2**60 + 1]})
    narrow, wide = in_list(WORDS), in_list(WORDS.cast(pa.dictionary(pa.int8(), pa.string())))
    lists = pa.table({"key": [1, 2], "lists": narrow if ME != LAST else wide})
    for table, kind, sentence in (
        (large, ValueError, "Integer value 1152921504606846977 not in range"),
        (lists, TypeError, f"column 'lists' is {narrow.type} on rank 0, but {wide.type} on rank"),
    ):
        require_raised(kind, sentence, rondo.arrow.shuffle, table, "key", COMM)
        require_usable()


@case
def different_orders():
    found = rondo.arrow.shuffle(ordered(["low", "high"]), "key", COMM)
    assert found["key"].unify_dictionaries().chunk(0).dictionary.to_pylist() == ["low", "high"]
    if P == 1:
        return
    column = ordered(["low", "high"] if ME == LAST else ["high", "low"])["key"].chunk(0)
    boxed = pa.StructArray.from_arrays([column], ["level"])
    sentence = f"column 'key' is ordered, but its values on rank {LAST} are not those on rank 0"
    for array in (column, in_list(column), in_list(boxed)):
        table = pa.table({"key": array})
        by = lambda rows: [0] * len(rows)  # noqa: E731
        require_raised(ValueError, sentence, rondo.arrow.shuffle, table, by, COMM)
        require_usable()


@case
def wrong_while_rows_travel():
    """A rank whose memory is full, say, has agreed to send."""

    class Failing:
        def of(self, first, batch):
            if ME == LAST and first > 0:
                raise MemoryError("no more memory")
            return np.zeros(batch.num_rows, np.uint8)

    if P == 1:
        return
    table = pa.table({"key": range(1000)})
    load = _shuffle.Load(table, Failing(), slices_of(table, 1000))
    told = "no more memory" if ME == LAST else f"rank {LAST}: no more memory"
    empty = pa.RecordBatch.from_arrays([pa.nulls(0, pa.int64())], schema=table.schema)
    agreed = _agreement.Agreed([empty] * P, empty, len(load.slices), {})
    require_raised(MemoryError, told, _shuffle._exchanged, COMM, load, agreed, None)
    require_usable()


@case
def wrong_once_all_have_agreed():
    """A rank whose own rows cannot take the types of all."""
    conformed = _agreement.Agreed.conformed

    def fail(agreed, table):
        raise MemoryError("no more memory")

    if ME == LAST:
        _agreement.Agreed.conformed = fail
    told = "no more memory" if ME == LAST else f"rank {LAST}: no more memory"
    try:
        require_raised(MemoryError, told, rondo.arrow.shuffle, GOOD, "key", COMM)
    finally:
        _agreement.Agreed.conformed = conformed
    require_usable()


@case
def wrong_once_all_has_arrived():
    """A rank that cannot read what it has received, though another exchange follows."""
    batches = _stream.Reader.batches

    def fail(reader, block):
        raise KeyboardInterrupt("pressed")

    kind = KeyboardInterrupt if ME == LAST else RuntimeError
    if P == 1:
        return
    calls = [
        lambda: rondo.arrow.join(GOOD, GOOD.select(["key"]), "key", COMM),
        lambda: rondo.arrow.sort(GOOD, "key", COMM),
        lambda: rondo.arrow.shuffle(pa.table({"key": range(1000)}), "key", COMM, slice_bytes=999),
    ]
    for call in calls:
        if ME == LAST:
            _stream.Reader.batches = fail
        try:
            require_raised(kind, "pressed", call)
        finally:
            _stream.Reader.batches = batches
        require_usable()


@case
def errors_without_a_text():
    class Mute(Exception):
        def __str__(self):
            raise KeyboardInterrupt

    kind = Mute if ME == LAST else RuntimeError
    try:
        rondo.arrow.shuffle(GOOD, raising(Mute()) if ME == LAST else "key", COMM)
    except kind:
        require_usable()
    else:
        raise AssertionError("no error")


@case
def wrong_communicator():
    for wrong in (None, 3, "world"):
        require_raised(TypeError, "mpi4py.MPI.Intracomm", rondo.arrow.shuffle, GOOD, "key", wrong)
