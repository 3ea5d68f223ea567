"""A shuffle: make this rank's table, agree with the others, then exchange slice by slice."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Callable, NamedTuple

import numpy as np

from rondo.arrow import _agreement, _dictionaries, _refusals
from rondo.arrow._library import pa
from rondo.arrow._owners import By, Everyone, GivenOwners, HashOwners, Owners, owners_of
from rondo.arrow._ranks import Ranks
from rondo.arrow._rows import without_offsets
from rondo.arrow._slices import Slice, slices_of
from rondo.arrow._stream import Reader, Stream, exchange, to_all, written


class Load(NamedTuple):
    """The rows of this rank, where they go, and in which slices."""

    table: pa.Table
    owners: HashOwners | GivenOwners | Everyone
    slices: list[Slice]


def shuffled(
    make: Callable[[], pa.Table], by: By | Everyone, comm: Ranks, slice_bytes: int
) -> Callable[[], pa.Table]:
    """Make the table of this rank, and send its rows to their ranks. Collective.

    Whatever fails on one rank, `make` included, raises an error on all ranks. Returns what gives
    the table of the rows that have arrived. That may fail on one rank alone: it must be called
    where an error reaches the others, or where none waits for this rank.
    """
    load: Load | None = None

    def offer() -> pa.Buffer:
        nonlocal load
        load = _load(make(), by, comm.size, slice_bytes)
        return _agreement.offer_of(load.table, len(load.slices))

    offers = _agreement.offers_of_all(comm, offer)
    assert load is not None
    agreed, error = None, None
    try:
        agreed = _agreement.agreed(offers)
        load = load._replace(table=agreed.conformed(load.table))
    except BaseException as failure:  # of the own rows, say: the others do not know of it
        error = failure
    if comm.size == 1:
        _refusals.raise_first(error, [])
        return lambda: load.table
    received = _exchanged(comm, load, agreed, error)
    return lambda: pa.Table.from_batches(received(), load.table.schema)


def _load(table: pa.Table, by: By | Everyone, ranks: int, slice_bytes: int) -> Load:
    if table.num_rows and not table.num_columns:
        raise ValueError(f"the table has {table.num_rows} rows, but no columns")
    own = _dictionaries.prepared(table)
    return Load(own, owners_of(table, own.schema, by, ranks), slices_of(own, slice_bytes))


def _exchanged(
    comm: Ranks,
    load: Load,
    agreed: _agreement.Agreed | None,
    error: BaseException | None,
) -> Callable[[], list[pa.RecordBatch]]:
    """Returns what gives the batches that arrive, by the ranks that have sent them. Collective.

    A rank that fails tells the others in the next round, and then all raise an error.
    """
    parts: list[list[pa.RecordBatch]] = [[] for _ in range(comm.size)]
    reader = None
    for number in range(agreed.rounds if agreed else 1):
        stream, error = _packed(load, number, agreed, comm.size, error)
        blocks = exchange(comm, stream)
        _refusals.raise_first(error, blocks)
        try:
            assert agreed is not None
            reader = reader or Reader(written(agreed.empty, []).memory)
            for part, block in zip(parts, blocks):
                part.extend(reader.batches(block))
        except BaseException as failure:
            error = failure

    def batches() -> list[pa.RecordBatch]:
        _refusals.raise_first(error, [])
        return list(chain.from_iterable(parts))

    return batches


def _packed(
    load: Load,
    number: int,
    agreed: _agreement.Agreed | None,
    ranks: int,
    error: BaseException | None,
) -> tuple[Stream, BaseException | None]:
    """The blocks of a slice, and nothing if there are fewer slices. A failure goes to all ranks."""
    try:
        _refusals.raise_first(error, [])
        assert agreed is not None
        slices = load.slices[number : number + 1]
        if isinstance(load.owners, Everyone):
            return _packed_once(load.table, slices, agreed.empty, ranks), None
        blocks = _blocks(load.table, load.owners, slices[0], ranks) if slices else [[]] * ranks
        return written(agreed.empty, blocks), None
    except BaseException as failure:
        return to_all(_refusals.refusal_of(failure), ranks), failure


def _packed_once(table: pa.Table, slices: list[Slice], empty: pa.RecordBatch, ranks: int) -> Stream:
    """One block, which goes to all ranks."""
    block = [batch for part in slices for batch in table.slice(*part).to_batches()]
    memory, starts, ends = written(empty, [block])
    return Stream(memory, [*starts] * ranks, [*ends] * ranks)


def _blocks(
    table: pa.Table, owners: HashOwners | GivenOwners, part: Slice, ranks: int
) -> list[list[pa.RecordBatch]]:
    """The rows of a slice by the ranks to which they go."""
    blocks: list[list[pa.RecordBatch]] = [[] for _ in range(ranks)]
    first = part.first
    for batch in table.slice(*part).combine_chunks().to_batches():
        of_rows = owners.of(first, batch)
        for block, rows in zip(blocks, _by_rank(batch, of_rows, ranks)):
            block.append(rows)
        first += batch.num_rows
    return blocks


def _by_rank(batch: pa.RecordBatch, owners: Owners, ranks: int) -> list[pa.RecordBatch]:
    """The rows of each rank. Rows that are in the order of their ranks are not copied."""
    if (owners[1:] < owners[:-1]).any():
        batch = without_offsets(batch).take(pa.array(np.argsort(owners, kind="stable")))
    counts = np.bincount(owners, minlength=ranks).tolist()
    return [batch.slice(*part) for part in zip(accumulate(counts, initial=0), counts)]
