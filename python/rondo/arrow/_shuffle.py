"""A shuffle: make this rank's table, agree with the others, then exchange slice by slice."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Callable, NamedTuple

import numpy as np

from rondo._library import MPI, handle_of
from rondo.arrow import _agreement, _dictionaries, _refusals, _types
from rondo.arrow._library import pa
from rondo.arrow._owners import By, GivenOwners, HashOwners, Owners
from rondo.arrow._slices import Slice, slices_of
from rondo.arrow._stream import Reader, Stream, exchange, written


class Load(NamedTuple):
    """The rows of this rank, where they go, and in which slices."""

    table: pa.Table
    owners: HashOwners | GivenOwners
    slices: list[Slice]


def shuffled(
    make: Callable[[], pa.Table], by: By, comm: MPI.Intracomm, slice_bytes: int
) -> pa.Table:
    """Make the table of this rank, and send its rows to their ranks. Collective.

    Whatever fails on one rank, `make` included, raises an error on all ranks.
    """
    handle_of(comm, MPI.Intracomm)
    load, error = None, None
    try:
        load = _load(make(), by, comm.size, slice_bytes)
        offer = _agreement.offer_of(load.table, len(load.slices))
    except Exception as failure:
        error, offer = failure, _agreement.refusal_of(failure)
    offers = _agreement.exchanged(comm, offer, error)
    assert load is not None
    agreed = _agreement.agreed(offers)
    try:
        load = load._replace(table=agreed.conformed(load.table))
    except Exception as failure:  # of the own rows: the others do not know of it
        error = failure
    if comm.size == 1:
        _refusals.raise_first(error, {})
        return load.table
    parts = _exchanged(comm, load, agreed, error)
    schema = agreed.empty.schema.with_metadata(load.table.schema.metadata)
    return pa.Table.from_batches(chain.from_iterable(parts), schema)


def _load(table: pa.Table, by: By, ranks: int, slice_bytes: int) -> Load:
    if table.num_rows and not table.num_columns:
        raise ValueError(f"the table has {table.num_rows} rows, but no columns")
    _types.require_carried(table.schema)
    schema = pa.schema(
        [field.with_type(_types.carried(field.type)) for field in table.schema],
        table.schema.metadata,
    )
    own = _dictionaries.own_unified(_types.converted(table, schema))
    owners = GivenOwners(table, by, ranks) if callable(by) else HashOwners(schema, by, ranks)
    return Load(own, owners, slices_of(own, slice_bytes))


def _exchanged(
    comm: MPI.Intracomm, load: Load, agreed: _agreement.Agreed, error: Exception | None
) -> list[list[pa.RecordBatch]]:
    """The batches that arrive, by the ranks that have sent them, unless there is an error."""
    empty = agreed.empty
    reader = Reader(written(empty, []).memory)
    parts: list[list[pa.RecordBatch]] = [[] for _ in range(comm.size)]
    for number in range(agreed.rounds):
        stream, error = _packed(load, number, empty, comm.size, error)
        blocks = exchange(comm, stream.memory, stream.starts[:-1], stream.starts[1:])
        refused = {}
        for rank, block in enumerate(blocks):
            for batch, refused[rank] in reader.batches(block):
                parts[rank].append(batch)
        _refusals.raise_first(error, refused)
    _refusals.raise_first(error, {})
    return parts


def _packed(
    load: Load, number: int, empty: pa.RecordBatch, ranks: int, error: Exception | None
) -> tuple[Stream, Exception | None]:
    """The blocks of a slice, and nothing if there are fewer slices. A failure goes to all ranks."""
    slices = load.slices[number : number + 1]
    try:
        if error is not None:
            raise error
        blocks = _blocks(load, slices[0], ranks) if slices else [[]] * ranks
        return written(empty, blocks), None
    except Exception as failure:
        return written(empty, [[empty]] * ranks, _refusals.metadata_of(failure)), failure


def _blocks(load: Load, part: Slice, ranks: int) -> list[list[pa.RecordBatch]]:
    """The rows of a slice by the ranks to which they go."""
    blocks: list[list[pa.RecordBatch]] = [[] for _ in range(ranks)]
    first = part.first
    for batch in load.table.slice(*part).combine_chunks().to_batches():
        owners = load.owners.of(first, batch)
        for block, rows in zip(blocks, _by_rank(batch, owners, ranks)):
            block.append(rows)
        first += batch.num_rows
    return blocks


def _by_rank(batch: pa.RecordBatch, owners: Owners, ranks: int) -> list[pa.RecordBatch]:
    """The rows of each rank. Rows that are in the order of their ranks are not copied."""
    if (owners[1:] < owners[:-1]).any():
        batch = _without_offsets(batch).take(pa.array(np.argsort(owners, kind="stable")))
    counts = np.bincount(owners, minlength=ranks).tolist()
    return [batch.slice(*part) for part in zip(accumulate(counts, initial=0), counts)]


def _without_offsets(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows. Arrow 26 picks wrong ones of nested lists of fixed size behind an offset."""
    columns = [
        pa.concat_arrays([column])
        if column.offset != 0 and _types.contains(column.type, pa.types.is_fixed_size_list)
        else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
