/* The functions of rondo_nccl_mpi.h, with which mpi_staged exchanges over MPI. */
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

static void exchange_equal(const Rondo_nccl_host* host, int rank, int ranks,
                           const char* algorithm) {
  enum { kBytes = 37 };
  unsigned char* send = malloc((size_t)ranks * kBytes);
  unsigned char* receive = calloc((size_t)ranks, kBytes);
  int peer, wrong = 0;
  size_t i;
  for (peer = 0; peer < ranks; ++peer)
    for (i = 0; i < kBytes; ++i) send[(size_t)peer * kBytes + i] = byte(rank, peer, i);
  expect(host->alltoall(host->state, algorithm, send, receive, kBytes) == 0, rank, algorithm,
         "alltoall failed");
  for (peer = 0; peer < ranks; ++peer)
    for (i = 0; i < kBytes; ++i) wrong += receive[(size_t)peer * kBytes + i] != byte(peer, rank, i);
  expect(wrong == 0, rank, algorithm, "alltoall brought wrong bytes");
  free(send);
  free(receive);
}

/* Rank p sends (p + q) % 5 bytes to rank q. */
static void exchange_variable(const Rondo_nccl_host* host, int rank, int ranks,
                              const char* algorithm) {
  unsigned char* send = malloc((size_t)ranks * 5);
  unsigned char* receive = calloc((size_t)ranks, 5);
  size_t* bytes = malloc((size_t)ranks * sizeof *bytes);
  size_t* offsets = malloc((size_t)ranks * sizeof *offsets);
  int peer, wrong = 0;
  size_t i;
  for (peer = 0; peer < ranks; ++peer) {
    bytes[peer] = (size_t)(rank + peer) % 5;
    offsets[peer] = (size_t)peer * 5;
    for (i = 0; i < bytes[peer]; ++i) send[offsets[peer] + i] = byte(rank, peer, i);
  }
  expect(
      host->alltoallv(host->state, algorithm, send, bytes, offsets, receive, bytes, offsets) == 0,
      rank, algorithm, "alltoallv failed");
  for (peer = 0; peer < ranks; ++peer)
    for (i = 0; i < bytes[peer]; ++i) wrong += receive[offsets[peer] + i] != byte(peer, rank, i);
  expect(wrong == 0, rank, algorithm, "alltoallv brought wrong bytes");
  free(send);
  free(receive);
  free(bytes);
  free(offsets);
}

int main(int argc, char** argv) {
  static const char* const kEqual[] = {"mpi", "basic_bruck", "shared_memory"};
  static const char* const kVariable[] = {"mpi", "two_phase_bruck", "fused_bruck"};
  Rondo_nccl_host host;
  int rank, ranks, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expect(Rondo_nccl_host_mpi(MPI_COMM_WORLD, &host) == MPI_SUCCESS, rank, "-", "no functions");
  for (i = 0; i < 3; ++i) {
    exchange_equal(&host, rank, ranks, kEqual[i]);
    exchange_variable(&host, rank, ranks, kVariable[i]);
  }
  expect(host.alltoall(host.state, "mpi", NULL, NULL, (size_t)1 << 40) == MPI_ERR_COUNT, rank,
         "mpi", "2^40 bytes are no int");
  expect(host.alltoall(host.state, "nothing", NULL, NULL, 0) != MPI_SUCCESS, rank, "nothing",
         "there is no such algorithm");
  Rondo_nccl_host_mpi_free(&host);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
