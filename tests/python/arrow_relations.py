"""Joins and groups, against pyarrow's own of all rows in one process."""

from importlib.util import find_spec

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


SUFFIXES = {"left_suffix": "_l", "right_suffix": "_r"}


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
        options = {"join_type": kind, **SUFFIXES}
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


@case
def joins_of_one_side_on_all_ranks():
    """The other side stays where it is."""
    left, right = of_all_ranks(people), of_all_ranks(visits)
    sides = {"right": ("inner", "left outer", "left semi", "left anti")}
    sides["left"] = tuple(kind.replace("left", "right") for kind in sides["right"])

    def joined(side, kind="inner"):
        options = {"join_type": kind, "slice_bytes": 99, **SUFFIXES}
        return rondo.arrow.join(people(ME), visits(ME), "id", COMM, broadcast=side, **options)

    for side in sides:
        for kind in JOINS:
            if kind in sides[side]:
                due = left.join(right, "id", join_type=kind, **SUFFIXES)
                require_joined(joined(side, kind), due)
            else:
                sentence = f"a join of type {kind!r} cannot broadcast the {side} table"
                require_raised(ValueError, sentence, joined, side, kind)
    sentence = "broadcast must be 'left', 'right' or None, got 'up'"
    require_raised(ValueError, sentence, joined, "up" if ME == P - 1 else "right")


@case
def joins_of_frames():
    """As in pandas, the index is left out, unless it is a key."""
    if find_spec("pandas") is None:
        return
    import pandas as pd

    left = pd.DataFrame({"v": [ME, -ME]}, index=pd.Index([ME, P], name="id"))
    right = pd.DataFrame({"id": [ME, P + 1], "w": [7, 8]}, index=["a", "b"])
    for broadcast in (None, "right"):
        found = rondo.arrow.join(left, right, "id", COMM, join_type="inner", broadcast=broadcast)
        assert found.schema.names == ["v", "id", "w"], found.schema
        assert sorted(all_rows(found)) == [(rank, rank, 7) for rank in range(P)]


@case
def relations_that_are_wrong_on_one_rank():
    good, wrong = visits(ME), visits(ME).rename_columns(["who", "city", "days", "cost"])
    mine = wrong if ME == P - 1 else good
    require_raised(KeyError, "no column 'id'", rondo.arrow.join, good, mine, "id", COMM)
    require_raised(KeyError, "no column 'id'", rondo.arrow.join, mine, good, "id", COMM)
    require_raised(
        KeyError, "no column 'id'", rondo.arrow.group_by, mine, "id", [("days", "sum")], COMM
    )
    require_raised(KeyError, "no column 'id'", rondo.arrow.sort, mine, "id", COMM)
    require_raised(KeyError, "no column 'id'", rondo.arrow.drop_duplicates, mine, "id", COMM)
    require_raised(
        KeyError, "no column 'v'", rondo.arrow.group_by, good, "id", [("v", "sum")], COMM
    )
    for keys in ([("id", "up")], [], 3, [3]):
        mine = keys if ME == P - 1 else "id"
        require_raised(Exception, "", rondo.arrow.sort, good, mine, COMM)
    for wrong_function in ([("days", "nothing")], [("days", [])], 3):
        functions = wrong_function if ME == P - 1 else [("days", "sum")]
        require_raised(Exception, "", rondo.arrow.group_by, good, "id", functions, COMM)
