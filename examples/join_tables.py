"""A join of two tables that are spread over ranks, with rondo.arrow and by hand with mpi4py.

mpirun -n 4 python join_tables.py [--rows 10000000]

There are so many orders, and as many customers; each rank makes its share. By hand, every column
is an exchange or two of its own, and strings need their lengths first.
"""

import argparse

import numpy as np
import pyarrow as pa
from mpi4py import MPI

import rondo.arrow

comm = MPI.COMM_WORLD


def tables(rows):
    """This rank's orders and customers. Two orders in three have a customer."""
    ids = np.arange(comm.rank, rows, comm.size)
    chance = np.random.default_rng(comm.rank)
    buyers = chance.integers(0, rows * 3 // 2, len(ids))
    orders = pa.table({"customer": buyers, "order": ids, "price": chance.random(len(ids))})
    texts = pa.array(ids).cast(pa.string())
    names = pa.compute.binary_join_element_wise("customer number", texts, " ")
    return orders, pa.table({"customer": ids, "name": names})


def join_by_rondo(orders, customers):
    return rondo.arrow.join(orders, customers, "customer", comm, join_type="inner")


def join_by_hand(orders, customers):
    return shuffle_by_hand(orders).join(shuffle_by_hand(customers), "customer", join_type="inner")


def shuffle_by_hand(table):
    """The rows of the customers whose number leaves this rank as the remainder."""
    owners = table["customer"].to_numpy() % comm.size
    rows = table.take(pa.array(np.argsort(owners.astype(np.uint8), kind="stable")))
    sent = np.bincount(owners, minlength=comm.size)
    received = np.empty_like(sent)
    comm.Alltoall(sent, received)
    columns = {}
    for name in table.column_names:
        column = rows[name].combine_chunks()
        exchange = exchange_texts if column.type == pa.string() else exchange_numbers
        columns[name] = exchange(column, sent, received)
    return pa.table(columns)


def exchange_numbers(column, sent, received):
    numbers = column.to_numpy()
    arrived = np.empty(received.sum(), numbers.dtype)
    comm.Alltoallv((numbers, sent), (arrived, received))
    return pa.array(arrived)


def exchange_texts(column, sent, received):
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32, len(column) + 1)
    lengths = exchange_numbers(pa.array(np.diff(ends)), sent, received).to_numpy()
    sent_bytes = np.diff(ends[np.append(0, sent.cumsum())])
    received_bytes = np.empty_like(sent_bytes)
    comm.Alltoall(sent_bytes, received_bytes)
    arrived = np.empty(received_bytes.sum(), np.uint8)
    comm.Alltoallv((np.frombuffer(data, np.uint8), sent_bytes), (arrived, received_bytes))
    starts = np.append(0, lengths.cumsum()).astype(np.int32)
    return pa.StringArray.from_buffers(len(lengths), pa.py_buffer(starts), pa.py_buffer(arrived))


def measured(name, join, orders, customers):
    """Prints the time of the second join; the first one touches new memory."""
    join(orders, customers)
    comm.Barrier()
    start = MPI.Wtime()
    joined = join(orders, customers)
    seconds = comm.allreduce(MPI.Wtime() - start, MPI.MAX)
    found = comm.allreduce(joined.num_rows)
    total = comm.allreduce(int(pa.compute.sum(joined["order"]).as_py() or 0))
    if comm.rank == 0:
        print(f"{name}: {found} rows, orders add up to {total}, {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    mine = tables(parser.parse_args().rows)
    measured("rondo.arrow", join_by_rondo, *mine)
    measured("mpi4py", join_by_hand, *mine)


if __name__ == "__main__":
    main()
