"""A program that knows nothing of Rondo: a Fourier transform by mpi4py-fft, and back.

mpi4py-fft redistributes its arrays by MPI_Alltoallw with subarray types. Prints `right` on rank 0.
"""

import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

SIZES = (12, 15, 10)
ROUNDS = 3
LARGEST_ERROR = 1e-12


def main():
    transform = PFFT(MPI.COMM_WORLD, SIZES, axes=(0, 1, 2), dtype=float)
    original = newDistArray(transform, False)
    original[:] = numpy.random.default_rng(MPI.COMM_WORLD.Get_rank()).random(original.shape)
    data = original.copy()
    for _ in range(ROUNDS):
        data = transform.backward(transform.forward(data))
    error = MPI.COMM_WORLD.allreduce(float(numpy.abs(data - original).max()), MPI.MAX)
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(f"error {error:.3g}: {'right' if error < LARGEST_ERROR else 'WRONG'}")
    sys.exit(error >= LARGEST_ERROR)


if __name__ == "__main__":
    main()
