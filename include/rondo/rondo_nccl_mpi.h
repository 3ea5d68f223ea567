/*
 * The exchange between hosts that mpi_staged of rondo_nccl.h needs, over MPI and Rondo's algorithms
 * there. For programs that link both librondo_nccl and librondo; in C or C++, nothing to compile.
 */
#ifndef RONDO_NCCL_MPI_H
#define RONDO_NCCL_MPI_H

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "rondo/rondo.h"
#include "rondo/rondo_nccl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions below keep: a communicator of their own, and arrays for counts in MPI's type. */
typedef struct {
  MPI_Comm comm;
  int ranks;
  int* lengths; /* counts and displacements to send, then to receive */
} Rondo_nccl_mpi_state;

static inline int Rondo_nccl_mpi_alltoall(void* state, const char* algorithm, const void* send,
                                          void* receive, size_t block_bytes) {
  const Rondo_nccl_mpi_state* own = (const Rondo_nccl_mpi_state*)state;
  int code;
  if (block_bytes > INT_MAX) return MPI_ERR_COUNT;
  code = Rondo_Comm_set_algorithm(own->comm, "alltoall", algorithm);
  if (code != MPI_SUCCESS) return code;
  return Rondo_Alltoall(send, (int)block_bytes, MPI_BYTE, receive, (int)block_bytes, MPI_BYTE,
                        own->comm);
}

/* Into MPI's int: 0 if one is too large. */
static inline int Rondo_nccl_mpi_narrow(int* narrow, const size_t* wide, int number) {
  int i;
  for (i = 0; i < number; ++i) {
    if (wide[i] > INT_MAX) return 0;
    narrow[i] = (int)wide[i];
  }
  return 1;
}

static inline int Rondo_nccl_mpi_alltoallv(void* state, const char* algorithm, const void* send,
                                           const size_t* send_bytes, const size_t* send_offsets,
                                           void* receive, const size_t* receive_bytes,
                                           const size_t* receive_offsets) {
  const Rondo_nccl_mpi_state* own = (const Rondo_nccl_mpi_state*)state;
  const int ranks = own->ranks;
  int* const lengths = own->lengths;
  int code = Rondo_Comm_set_algorithm(own->comm, "alltoallv", algorithm);
  if (code != MPI_SUCCESS) return code;
  if (!Rondo_nccl_mpi_narrow(lengths, send_bytes, ranks) ||
      !Rondo_nccl_mpi_narrow(lengths + ranks, send_offsets, ranks) ||
      !Rondo_nccl_mpi_narrow(lengths + 2 * ranks, receive_bytes, ranks) ||
      !Rondo_nccl_mpi_narrow(lengths + 3 * ranks, receive_offsets, ranks))
    return MPI_ERR_COUNT;
  return Rondo_Alltoallv(send, lengths, lengths + ranks, MPI_BYTE, receive, lengths + 2 * ranks,
                         lengths + 3 * ranks, MPI_BYTE, own->comm);
}

/* Fill `host` for plans whose rank p is rank p of `comm`. Collective over `comm`. MPI's error classes. */
static inline int Rondo_nccl_host_mpi(MPI_Comm comm, Rondo_nccl_host* host) {
  Rondo_nccl_mpi_state* state = (Rondo_nccl_mpi_state*)malloc(sizeof *state);
  int ranks = 0;
  int code = MPI_Comm_size(comm, &ranks);
  int ready;
  memset(host, 0, sizeof *host);
  if (state != NULL) state->lengths = (int*)malloc((size_t)ranks * 4 * sizeof(int));
  ready = code == MPI_SUCCESS && state != NULL && state->lengths != NULL;
  /* No rank goes on alone. */
  MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
  if (!ready) {
    if (state != NULL) free(state->lengths);
    free(state);
    return MPI_ERR_NO_MEM;
  }
  state->ranks = ranks;
  code = MPI_Comm_dup(comm, &state->comm);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
  host->state = state;
  host->alltoall = Rondo_nccl_mpi_alltoall;
  host->alltoallv = Rondo_nccl_mpi_alltoallv;
  return code;
}

/* After the plans. Collective. */
static inline void Rondo_nccl_host_mpi_free(Rondo_nccl_host* host) {
  Rondo_nccl_mpi_state* state = (Rondo_nccl_mpi_state*)host->state;
  if (state == NULL) return;
  MPI_Comm_free(&state->comm);
  free(state->lengths);
  free(state);
  memset(host, 0, sizeof *host);
}

#ifdef __cplusplus
}
#endif

#endif
