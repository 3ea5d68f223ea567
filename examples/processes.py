"""Processes of Python's multiprocessing that exchange blocks: no MPI, no mpirun."""

from multiprocessing import Barrier, Manager, Process

import numpy as np

import rondo


def work(rank, size, slots, barrier):
    def allgather(own):
        slots[rank] = own
        barrier.wait()
        gathered = list(slots)
        barrier.wait()  # the slots may be written again
        return gathered

    with rondo.Group(rank, size, allgather=allgather) as group:
        send = 10 * rank + np.arange(size)  # one number for each rank
        recv = np.empty_like(send)
        group.alltoall(send, recv)
        print(f"rank {rank} has received {recv.tolist()}", flush=True)


if __name__ == "__main__":
    ranks = 4
    with Manager() as manager:
        slots, barrier = manager.list([b""] * ranks), Barrier(ranks)
        processes = [Process(target=work, args=(r, ranks, slots, barrier)) for r in range(ranks)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
