/* An uneven exchange: rank p sends p + 1 numbers to every rank, so it receives q + 1 numbers from
 * rank q. Build and run:
 *   mpicc example.c $(rondo-config --cflags --libs) -o example && mpirun -n 4 ./example
 */
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  /* Counts and displacements count elements, as in MPI_Alltoallv: the blocks lie one after the
   * other. */
  int* counts = malloc(4 * (size_t)ranks * sizeof(int));
  int *sdispls = counts + ranks, *recvcounts = counts + 2 * ranks, *rdispls = counts + 3 * ranks;
  for (int q = 0, received = 0; q < ranks; received += ++q) {
    counts[q] = rank + 1;
    sdispls[q] = q * (rank + 1);
    recvcounts[q] = q + 1;
    rdispls[q] = received;
  }
  const int received = rdispls[ranks - 1] + ranks;
  int* send = malloc((size_t)(ranks * (rank + 1)) * sizeof(int));
  int* recv = malloc((size_t)received * sizeof(int));
  for (int i = 0; i < ranks * (rank + 1); ++i) send[i] = rank;

  /* Name an algorithm, or leave this out and let Rondo choose. */
  Rondo_Comm_set_algorithm(MPI_COMM_WORLD, "alltoallv", "fused_bruck:radix=2");
  Rondo_Alltoallv(send, counts, sdispls, MPI_INT, recv, recvcounts, rdispls, MPI_INT,
                  MPI_COMM_WORLD);

  int wrong = 0;
  for (int q = 0; q < ranks; ++q)
    for (int i = 0; i < recvcounts[q]; ++i) wrong += recv[rdispls[q] + i] != q;
  printf("rank %d of %d received %d numbers, %d wrong\n", rank, ranks, received, wrong);

  free(counts);
  free(send);
  free(recv);
  MPI_Finalize();
  return wrong != 0;
}
