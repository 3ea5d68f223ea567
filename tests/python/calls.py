"""A program that knows nothing of Rondo: mpirun -n N python calls.py CALLS

Each call of MPI_Alltoall is checked.
"""

import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
for call in range(int(sys.argv[1])):
    sent = np.arange(world.size) * 100 + world.rank + call
    arrived = np.empty_like(sent)
    world.Alltoall(sent, arrived)
    assert (arrived == world.rank * 100 + np.arange(world.size) + call).all()
