"""Dictionaries, of which every rank has its own."""

import pyarrow as pa
from arrow_shuffles import all_rows, rows_of
from mpi_support import COMM, ME, P, case

import rondo.arrow


def encoded(texts, index="int8"):
    kind = pa.dictionary(getattr(pa, index)(), pa.string())
    return pa.table({"key": pa.array(texts).dictionary_encode().cast(kind)})


@case
def dictionaries_are_the_same_on_all_ranks():
    own = [f"{ME}", "common", f"{ME}", None]
    found = rondo.arrow.shuffle(encoded(own), "key", COMM)
    due = ["0", "common", *map(str, range(1, P))]
    assert all(chunk.dictionary.to_pylist() == due for chunk in found["key"].chunks)
    assert found.schema.field("key").type.index_type == pa.int8()


@case
def dictionaries_that_outgrow_their_index():
    own = [f"{ME} {number}" for number in range(100)]
    found = rondo.arrow.shuffle(encoded(own), "key", COMM)
    index = found.schema.field("key").type.index_type
    assert index == (pa.int8() if P == 1 else pa.int32()), index
    assert sorted(all_rows(found)) == sorted(all_rows(encoded(own)))


@case
def dictionaries_of_chunks_that_outgrow_their_index():
    chunks = [encoded([f"{part} {number}" for number in range(100)]) for part in "ab"]
    found = rondo.arrow.shuffle(pa.concat_tables(chunks), "key", COMM)
    assert found.schema.field("key").type.index_type == pa.int32()
    assert sorted(all_rows(found)) == sorted(P * sum(map(rows_of, chunks), []))


@case
def dictionaries_at_the_limit_of_their_index():
    """Eight bits number 128 values, and no more."""
    for count, index in ((128, pa.int8()), (129, pa.int32())):
        own = [str(number) for number in range(ME, count, P)]
        if len(own) <= 128:
            found = rondo.arrow.shuffle(encoded(own), "key", COMM)
            assert found.schema.field("key").type.index_type == index, count
            assert len(found["key"].chunk(0).dictionary) == count
            assert sorted(all_rows(found)) == sorted((str(number),) for number in range(count))


@case
def dictionaries_with_different_indices():
    index = ["int8", "uint32", "int16"]
    found = rondo.arrow.shuffle(encoded(["a", f"{ME}"], index[ME % 3]), "key", COMM)
    assert str(found.schema.field("key").type.index_type) == ("int8" if P == 1 else "int64")
    due = ["a", *map(str, range(P))]
    assert all(chunk.dictionary.to_pylist() == due for chunk in found["key"].chunks)


@case
def dictionaries_whose_indices_differ_in_their_sign():
    values = pa.array([str(number) for number in range(200)])
    index, count = (pa.int8(), 100) if ME == 0 else (pa.uint8(), 200)
    column = pa.DictionaryArray.from_arrays(pa.array(range(count), index), values)
    found = rondo.arrow.shuffle(pa.table({"key": column}), "key", COMM)
    assert COMM.allreduce(found.num_rows) == 100 + 200 * (P - 1)


@case
def dictionaries_with_nulls():
    values = pa.array(["a", None, f"{ME}"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), values)
    found = rondo.arrow.shuffle(pa.table({"key": column}), "key", COMM)
    due = [text for rank in range(P) for text in ("a", None, str(rank), None)]
    assert sorted(map(str, (row[0] for row in all_rows(found)))) == sorted(map(str, due))
