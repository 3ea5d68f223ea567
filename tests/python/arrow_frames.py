"""Random frames of pandas and polars there and back: rows, labels and types must return."""

import datetime
import decimal
import importlib.util
import math
import random

import numpy as np
import pyarrow as pa
from arrow_shuffles import FRAMES, SEED
from mpi_support import COMM, ME, P, case

import rondo.arrow

DAY = datetime.datetime(2000, 1, 1)
WORDS = ["", "a", "é", "seven..", "long " * 20, f"of rank {ME}"]
ORDER = ["low", "middle", "high"]
pd, pl = (
    importlib.import_module(name) if importlib.util.find_spec(name) else None
    for name in ("pandas", "polars")
)
for name, library in (("pandas", pd), ("polars", pl)):
    if library is None and ME == 0:
        print(f"skipped: frames of {name}, which is not here")


def number(chance):
    return chance.randrange(100)


def word(chance):
    return chance.choice(WORDS)


def moment(chance):
    return DAY + datetime.timedelta(0, chance.randrange(10**6))


def span(chance):
    return datetime.timedelta(0, chance.randrange(10**6))


def price(chance):
    return decimal.Decimal(chance.randrange(1000)) / 4


def there_and_back(frame, rows, frame_of, chance):
    """Send each row somewhere, as a frame from there to where it was. Returns rows and places."""
    owners = chance.choices(range(P), k=rows)
    slice_bytes = chance.choice([300, 3000, 1 << 20])
    there = rondo.arrow.shuffle(frame, lambda table: owners, COMM, slice_bytes=slice_bytes)
    there.validate(full=True)
    back = rondo.arrow.shuffle(frame_of(there), lambda table: table["_from"].to_numpy(), COMM)
    back.validate(full=True)
    return frame_of(back)


# pandas: columns and indexes by name, each a function of random values and of rows.
def pandas_columns():
    def of(draw, dtype=None):
        return lambda chance, rows: pd.Series([draw(chance) for _ in range(rows)], dtype=dtype)

    def maybe(draw):
        return lambda chance: None if chance.random() < 0.2 else draw(chance)

    ordered = pd.CategoricalDtype(ORDER, ordered=True)
    return {
        "int": of(number, "int64"),
        "float": of(maybe(lambda chance: chance.random()), "float64"),
        "bool": of(lambda chance: chance.random() < 0.5, "bool"),
        "Int64": of(maybe(number), "Int64"),
        "boolean": of(maybe(lambda chance: chance.random() < 0.5), "boolean"),
        "int64[pyarrow]": of(maybe(number), "int64[pyarrow]"),
        "str": of(maybe(word), "str"),
        "string": of(maybe(word), "string"),
        "bytes": of(lambda chance: word(chance).encode(), object),
        "list": of(maybe(lambda chance: [number(chance)] * chance.randrange(3)), object),
        "dict": of(lambda chance: {"a": number(chance), "b": maybe(word)(chance)}, object),
        "decimal": of(maybe(price), object),
        "date": of(maybe(lambda chance: moment(chance).date()), object),
        "time": of(lambda chance: datetime.time(chance.randrange(24)), object),
        "category": of(maybe(word), "category"),
        "ordered": of(maybe(lambda chance: chance.choice(ORDER)), ordered),
        "moment": of(maybe(moment), "datetime64[us]"),
        "zone": of(maybe(moment), "datetime64[us, Europe/Rome]"),
        "span": of(maybe(span), "timedelta64[us]"),
        "period": of(maybe(moment), "period[D]"),
        "nothing": of(lambda chance: None, object),
    }


def pandas_indexes():
    def of(draw, dtype=None):
        return lambda chance, rows: pd.Index([draw(chance) for _ in range(rows)], dtype=dtype)

    def intervals(chance, rows):
        return pd.IntervalIndex.from_breaks(range(ME, ME + rows + 1))

    def levels(chance, rows):
        pairs = [(word(chance), number(chance)) for _ in range(rows + 1)]
        return pd.MultiIndex.from_tuples(pairs, names=["text", None])[:rows]

    def filtered(chance, rows):
        return pd.RangeIndex(2 * rows)[sorted(chance.sample(range(2 * rows), rows))]

    def numbered(chance, rows):
        first, step = chance.randrange(50), chance.choice([1, 2, -1])
        return pd.RangeIndex(first, first + rows * step, step)

    return {
        "numbered": numbered,
        "filtered": lambda chance, rows: (filtered if ME % 2 else numbered)(chance, rows),
        "int": of(number, "int64"),
        "uint8": of(number, "uint8"),
        "float": of(lambda chance: chance.choice([math.nan, 0.5, 1.5]), "float64"),
        "bool": of(lambda chance: chance.random() < 0.5, "bool"),
        "str": of(word, "str"),
        "bytes": of(lambda chance: word(chance).encode(), object),
        "date": of(lambda chance: moment(chance).date(), object),
        "moment": of(moment, "datetime64[us]"),
        "zone": of(moment, "datetime64[us, Europe/Rome]"),
        "span": of(span, "timedelta64[us]"),
        "period": of(moment, "period[D]"),
        "interval": intervals,
        "category": of(word, "category"),
        "ordered": of(
            lambda chance: chance.choice(ORDER), pd.CategoricalDtype(ORDER, ordered=True)
        ),
        "levels": levels,
    }


def pandas_frame(seed):
    """The frame of this rank, with the columns and the kind of index that all ranks have."""
    chance, own = random.Random(f"pandas {seed}"), random.Random(f"pandas {seed} {ME}")
    columns, indexes = pandas_columns(), pandas_indexes()
    chosen = {f"{kind} {at}": kind for at, kind in enumerate(chance.choices(list(columns), k=4))}
    rows = own.choice([0, 1, own.randrange(30), 30])
    index = indexes[chance.choice(list(indexes))](own, rows)
    index = index.rename(chance.choice([None, "label"])) if index.nlevels == 1 else index
    frame = {"_from": np.full(rows, ME), "_place": np.arange(rows)}
    for name, kind in chosen.items():
        kind = "nothing" if own.random() < 0.2 else kind
        frame[name] = columns[kind](own, rows).set_axis(index)
    return pd.DataFrame(frame, index=index)


def plain(value):
    """A cell as what can be compared, since pandas knows several nulls."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return None if value is None or pd.isna(value) else value


def pandas_rows(frame):
    columns = [frame.index, *(frame[name] for name in frame.columns)]
    return [[plain(value) for value in row] for row in zip(*map(list, columns))]


def pandas_there_and_back(seed):
    frame = pandas_frame(seed)
    chance = random.Random(f"way {seed} {ME}")
    back = there_and_back(frame, len(frame), lambda table: table.to_pandas(), chance)
    back = back.iloc[np.argsort(back["_place"].to_numpy(), kind="stable")]
    assert list(back.columns) == list(frame.columns), back.columns
    assert back.index.names == frame.index.names, back.index
    assert pandas_rows(back) == pandas_rows(frame), f"{frame}\n{back}"
    if len(frame) and not isinstance(frame.index, pd.RangeIndex):
        assert type(back.index) is type(frame.index), (back.index, frame.index)


def polars_types(chance, depth=2):
    """A type, and a function that draws one of its values."""

    def maybe(draw):
        return lambda chance: None if chance.random() < 0.2 else draw(chance)

    integers = "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64".split()
    leaves = [
        *((getattr(pl, name), number) for name in integers),
        (pl.Float32, lambda chance: chance.randrange(9) / 4),
        (pl.Float64, lambda chance: chance.choice([math.nan, -0.0, chance.random()])),
        (pl.Boolean, lambda chance: chance.random() < 0.5),
        (pl.String, word),
        (pl.Binary, lambda chance: word(chance).encode()),
        (pl.Decimal(20, 3), price),
        (pl.Date, lambda chance: moment(chance).date()),
        (pl.Time, lambda chance: datetime.time(chance.randrange(24))),
        (pl.Datetime("ms"), moment),
        (pl.Datetime("ns", "Europe/Rome"), moment),
        (pl.Duration("us"), span),
        (pl.Categorical, word),
        (pl.Enum(ORDER), lambda chance: chance.choice(ORDER)),
        (pl.Null, lambda chance: None),
    ]
    if hasattr(pl, "Float16"):
        leaves.append((pl.Float16, lambda chance: chance.randrange(9) / 4))
    if hasattr(pl, "Categories"):
        leaves.append((pl.Categorical(pl.Categories("own", physical=pl.UInt8)), word))
    if depth == 0 or chance.random() < 0.6:
        kind, draw = chance.choice(leaves)
        return kind, maybe(draw)
    (inner, draw), (other, draw_other) = polars_types(chance, depth - 1), chance.choice(leaves)
    nested = [
        (pl.List(inner), lambda chance: [draw(chance) for _ in range(chance.randrange(4))]),
        (pl.Array(inner, 2), lambda chance: [draw(chance), draw(chance)]),
        (
            pl.Struct({"a": inner, "b": other}),
            lambda chance: {"a": draw(chance), "b": draw_other(chance)},
        ),
    ]
    kind, draw_nested = chance.choice(nested)
    return kind, maybe(draw_nested)


def polars_there_and_back(seed):
    chance, own = random.Random(f"polars {seed}"), random.Random(f"polars {seed} {ME}")
    types = {f"c{at}": polars_types(chance) for at in range(chance.randint(1, 5))}
    rows = own.choice([0, 1, own.randrange(30), 30])
    frame = {"_from": np.full(rows, ME), "_place": np.arange(rows)}
    for name, (kind, draw) in types.items():
        is_known = own.random() > 0.2
        values = [draw(own) if is_known else None for _ in range(rows)]
        frame[name] = pl.Series(values, dtype=kind if is_known else pl.Null)
    frame = pl.DataFrame(frame)
    back = there_and_back(frame, rows, pl.from_arrow, random.Random(f"way {seed} {ME}"))
    back = back.sort("_place", maintain_order=True)
    assert repr(back.rows()) == repr(frame.rows()), f"{frame}\n{back}"
    schemas = COMM.allgather({name: str(kind) for name, kind in frame.schema.items()})
    for name, kind in back.schema.items():
        known = [schema[name] for schema in schemas if schema[name] != "Null"]
        assert str(kind) == (known or ["Null"])[0], (name, kind, known)


@case
def lists_of_nulls_beside_what_is_converted():
    """In structs, also inside of lists: pyarrow's own cast makes invalid arrays of them."""
    words = pa.array(["x", None, "y", "x"], pa.string_view())
    several = pa.array([[None], [], None, [None, None]], pa.list_(pa.null()))
    pairs = pa.array([[None, None]] * 3 + [None], pa.list_(pa.null(), 2))
    for nothing in (several, pairs):
        inner = pa.StructArray.from_arrays([nothing, words], names=["a", "b"])
        lists = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3, 4], pa.int32()), inner)
        for column in (inner, lists, lists.slice(1, 2)):
            sent = pa.table({"c": column, "place": range(len(column))})
            there = rondo.arrow.shuffle(sent, lambda table: [ME] * len(table), COMM)
            there.validate(full=True)
            assert there["c"].to_pylist() == column.to_pylist(), column.type


@case
def random_frames():
    ways = [(pd, pandas_there_and_back), (pl, polars_there_and_back)]
    for seed in range(SEED, SEED + FRAMES):
        for _, way in filter(lambda one: one[0], ways):
            try:
                way(seed)
            except Exception:
                print(f"python tables.py {seed} 0 1  # repeats it")
                raise
