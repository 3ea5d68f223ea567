"""A program that knows nothing of Rondo and is linked to no MPI: it loads Open MPI's library and
looks its functions up by name. MPI_Alltoall, checked, ROUNDS times.

looked_up.py LIBRARY           the functions are looked up in the whole process, as MPI.jl does
looked_up.py LIBRARY handle    they are looked up in that library and in those that it needs
"""

import ctypes
import os
import sys

ROUNDS = 3


def main():
    library = ctypes.CDLL(sys.argv[1], mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    mpi = library if sys.argv[2:] else ctypes.CDLL(None)
    comm = ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
    kind = ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_int"))
    comm, kind = ctypes.c_void_p(comm), ctypes.c_void_p(kind)
    mpi.MPI_Init(None, None)
    rank, ranks = ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Comm_rank(comm, ctypes.byref(rank))
    mpi.MPI_Comm_size(comm, ctypes.byref(ranks))
    for number in range(ROUNDS):
        array = ctypes.c_int * ranks.value
        send = array(*(1000 * number + 10 * rank.value + to for to in range(ranks.value)))
        recv = array()
        status = mpi.MPI_Alltoall(send, 1, kind, recv, 1, kind, comm)
        expected = [1000 * number + 10 * other + rank.value for other in range(ranks.value)]
        if status != 0 or list(recv) != expected:
            sys.exit(f"rank {rank.value}: status {status}, {list(recv)}, not {expected}")
    mpi.MPI_Finalize()
    print(f"rank {rank.value}: right")


if __name__ == "__main__":
    main()
