"""Random schemas and tables, drawn from seeds: every type that travels, nested, chunked, sliced."""

import datetime
import decimal
import math

import numpy as np
import pyarrow as pa

MOST_ROWS = 40
DAY = datetime.datetime(2000, 1, 1)
TEXTS = ["", "a", "ab", "é", "seven..", "eight...", "nine.....", "z" * 40, "long " * 60]


def _float(chance):
    return chance.choice([0.0, -0.0, math.nan, math.inf, 1.5, chance.random(), chance.gauss(0, 1)])


def _bytes(chance, length=None):
    return bytes(chance.choices(range(4), k=chance.randrange(12) if length is None else length))


# Types whose values may be keys, and a function that draws a value.
KEYS = [
    (pa.bool_(), lambda chance: chance.random() < 0.5),
    (pa.int8(), lambda chance: chance.randrange(-4, 4)),
    (pa.uint16(), lambda chance: chance.randrange(5)),
    (pa.int32(), lambda chance: chance.randrange(-20, 20)),
    (pa.int64(), lambda chance: chance.choice([0, -1, 1 << 62, chance.randrange(9)])),
    (pa.uint64(), lambda chance: chance.choice([0, 1 << 63, chance.randrange(9)])),
    (pa.float32(), lambda chance: chance.choice([0.0, -0.0, math.nan, 0.5, 2.25])),
    (pa.float64(), _float),
    (pa.decimal128(12, 3), lambda chance: decimal.Decimal(chance.randrange(99)) / 8),
    (pa.date32(), lambda chance: DAY.date() + datetime.timedelta(chance.randrange(9))),
    (pa.timestamp("us", "UTC"), lambda chance: DAY + datetime.timedelta(0, chance.randrange(9))),
    (pa.time64("us"), lambda chance: datetime.time(chance.randrange(24))),
    (pa.duration("ms"), lambda chance: datetime.timedelta(0, chance.randrange(9))),
    (pa.string(), lambda chance: chance.choice(TEXTS)),
    (pa.large_string(), lambda chance: chance.choice(TEXTS)),
    (pa.string_view(), lambda chance: chance.choice(TEXTS)),
    (pa.binary(), _bytes),
    (pa.large_binary(), _bytes),
    (pa.binary(3), lambda chance: _bytes(chance, 3)),
    (pa.dictionary(pa.int8(), pa.string()), lambda chance: chance.choice(TEXTS)),
    (pa.dictionary(pa.int32(), pa.int64()), lambda chance: chance.randrange(9)),
]
OTHERS = [
    (pa.float16(), lambda chance: np.float16(chance.randrange(9) / 2)),
    (pa.decimal256(50, 2), lambda chance: decimal.Decimal(chance.randrange(10**9))),
    (pa.month_day_nano_interval(), lambda chance: (chance.randrange(5), 1, 2)),
    (pa.binary_view(), _bytes),
]


def _list_of(draw, least=0, most=4):
    return lambda chance: [draw(chance) for _ in range(chance.randint(least, most))]


def _nested(chance, depth):
    """A type with others inside."""
    inner, draw = drawn_type(chance, depth - 1)
    other, draw_other = drawn_type(chance, depth - 1)
    texts = pa.map_(pa.string(), inner)
    return chance.choice(
        [
            (pa.list_(inner), _list_of(draw)),
            (pa.large_list(inner), _list_of(draw)),
            (pa.list_(inner, 2), _list_of(draw, 2, 2)),
            (
                pa.struct([("a", inner), ("b", other)]),
                lambda chance: {"a": draw(chance), "b": draw_other(chance)},
            ),
            (texts, lambda chance: [(text, draw(chance)) for text in chance.sample(TEXTS, 2)]),
        ]
    )


# Not inside other types: Arrow 26 casts maps of nulls to invalid ones, and makes no lists of UUIDs.
OUTSIDE = [(pa.null(), lambda chance: None), (pa.uuid(), lambda chance: _bytes(chance, 16))]
DEPTH = 2


def drawn_type(chance, depth=DEPTH):
    """A type, and a function that draws one of its values or None."""
    is_nested = depth > 0 and chance.random() < 0.35
    leaves = KEYS + OTHERS + (OUTSIDE if depth == DEPTH else [])
    kind, draw = _nested(chance, depth) if is_nested else chance.choice(leaves)
    rarely = chance.choice([0, 0.2])
    return kind, lambda chance: None if chance.random() < rarely else draw(chance)


def drawn_schema(chance):
    """Columns by name, each a type and a function that draws values; those named k are keys."""
    columns = {f"k{number}": chance.choice(KEYS) for number in range(chance.randint(1, 3))}
    columns.update((f"v{number}", drawn_type(chance)) for number in range(chance.randint(0, 5)))
    names = list(columns)
    chance.shuffle(names)
    return {name: columns[name] for name in names}


def _is_valid(array):
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _chunk(chance, kind, draw, rows):
    """An array that begins somewhere in a longer one.

    Drawn again if Arrow makes an invalid one: where all structs are null, a dictionary inside has
    no values, and its indices are zeros.
    """
    before, after = chance.randrange(3), chance.randrange(3)
    values = [draw(chance) for _ in range(before + rows + after)]
    values = [None if chance.random() < 0.1 else value for value in values]
    array = pa.array(values, kind)
    return array.slice(before, rows) if _is_valid(array) else _chunk(chance, kind, draw, rows)


def _column(chance, kind, draw, rows):
    cuts = sorted(chance.choices(range(rows + 1), k=chance.randrange(3)))
    sizes = [end - start for start, end in zip([0, *cuts], [*cuts, rows])]
    return pa.chunked_array([_chunk(chance, kind, draw, size) for size in sizes], kind)


def drawn_table(chance, schema):
    """A table with the columns of drawn_schema. It may have no rows."""
    rows = chance.choice([0, 1, chance.randrange(MOST_ROWS), MOST_ROWS])
    return pa.table({name: _column(chance, *column, rows) for name, column in schema.items()})
