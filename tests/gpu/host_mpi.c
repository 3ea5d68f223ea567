/* The functions of rondo_nccl_mpi.h, with which mpi_staged exchanges over MPI. Here the limit of 2 GiB is
 * a limit of some bytes. */
#define RONDO_NCCL_MPI_MOST 50

#include <stdio.h>
#include <stdlib.h>

#include "rondo/rondo_nccl_mpi.h"

static int failures = 0;

static void expect(int holds, int rank, const char* algorithm, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d, %s: %s\n", rank, algorithm, what);
  ++failures;
}

/* The byte at `offset` of the block from one rank to another. */
static unsigned char byte(int source, int destination, size_t offset) {
  return (unsigned char)(31 * source + 17 * destination + 7 * (int)offset + 1);
}

/* With `long_bytes` 0 all blocks have `unit` bytes. Else rank p sends unit * ((p + q) % 5) bytes to rank q,
 * the last rank to itself `long_bytes`. */
static void exchange(const Rondo_nccl_host* host, int rank, int ranks, const char* algorithm,
                     size_t unit, size_t long_bytes) {
  const int is_equal = long_bytes == 0;
  const size_t stride = is_equal ? unit : 4 * unit + 1;
  unsigned char* send = calloc((size_t)ranks * stride + long_bytes, 1);
  unsigned char* receive = calloc((size_t)ranks * stride + long_bytes, 1);
  size_t* bytes = calloc((size_t)ranks, sizeof *bytes);
  size_t* offsets = calloc((size_t)ranks, sizeof *offsets);
  int peer, result, wrong = 0;
  size_t i;
  for (peer = 0; peer < ranks; ++peer) {
    const int is_long = rank == ranks - 1 && peer == rank;
    bytes[peer] = is_equal ? unit : is_long ? long_bytes : unit * ((size_t)(rank + peer) % 5);
    offsets[peer] = (size_t)peer * stride;
    for (i = 0; i < bytes[peer]; ++i) send[offsets[peer] + i] = byte(rank, peer, i);
  }
  result = is_equal ? host->alltoall(host->state, algorithm, send, receive, unit)
                    : host->alltoallv(host->state, algorithm, send, bytes, offsets, receive, bytes,
                                      offsets);
  expect(result == 0, rank, algorithm, "the exchange failed");
  for (peer = 0; peer < ranks; ++peer)
    for (i = 0; i < bytes[peer]; ++i) wrong += receive[offsets[peer] + i] != byte(peer, rank, i);
  expect(wrong == 0, rank, algorithm, "wrong bytes came");
  free(send);
  free(receive);
  free(bytes);
  free(offsets);
}

int main(int argc, char** argv) {
  static const char* const kEqual[] = {"mpi", "basic_bruck", "node_aware"};
  static const char* const kVariable[] = {"mpi", "two_phase_bruck", "fused_bruck"};
  Rondo_nccl_host host;
  int rank, ranks, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expect(Rondo_nccl_host_mpi(MPI_COMM_WORLD, &host) == MPI_SUCCESS, rank, "-", "no functions");
  for (i = 0; i < 3; ++i) {
    exchange(&host, rank, ranks, kEqual[i], 37, 0);
    exchange(&host, rank, ranks, kEqual[i], 3000001, 0);
    exchange(&host, rank, ranks, kVariable[i], 1, 5);
    exchange(&host, rank, ranks, kVariable[i], 1, 51);     /* one rank alone is past it */
    exchange(&host, rank, ranks, kVariable[i], 600001, 7); /* all are */
  }
  expect(host.alltoall(host.state, "nothing", NULL, NULL, 0) != MPI_SUCCESS, rank, "nothing",
         "there is no such algorithm");
  Rondo_nccl_host_mpi_free(&host);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
