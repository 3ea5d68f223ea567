"""A program that knows nothing of Rondo: a mesh of DOLFINx that is distributed over the ranks. The
values at the borders go to the neighbours and back.

DOLFINx starts these exchanges with MPI_Ineighbor_alltoallv. Prints `right` on rank 0.
"""

import sys

import numpy
from dolfinx import la, mesh
from mpi4py import MPI

CUBES = (8, 8, 8)
ROUNDS = 50


def main():
    comm = MPI.COMM_WORLD
    grid = mesh.create_unit_cube(comm, *CUBES, ghost_mode=mesh.GhostMode.shared_facet)
    vertices = grid.topology.index_map(0)
    own = vertices.size_local
    numbers = vertices.local_range[0] + numpy.arange(own)
    vector = la.vector(vertices, 1)
    wrong = 0
    for number in range(ROUNDS):
        vector.array[:own] = numbers + number
        vector.scatter_forward()
        wrong += int((vector.array[own:] != vertices.ghosts + number).sum())
        vector.array[:] = 1
        vector.scatter_reverse(la.ScatterMode.add)
        missing = comm.allreduce(len(vector.array) - float(vector.array[:own].sum()))
        wrong += missing != 0
    wrong = comm.allreduce(wrong)
    if comm.Get_rank() == 0:
        print(f"{wrong} wrong: {'WRONG' if wrong else 'right'}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
