/*
 * The exchange between hosts that mpi_staged of rondo_nccl.h needs, by Rondo's algorithms over MPI.
 * For C and C++ programs that link both librondo_nccl and librondo. Header-only.
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

/* The state of the functions below: their own communicator, and memory for arguments in MPI's
 * types. */
typedef struct {
  MPI_Comm comm;
  int ranks;
  int* numbers;        /* 4 for each rank */
  MPI_Datatype* types; /* 2 for each rank */
} Rondo_nccl_mpi_state;

/* The largest number to pass as an int. Tests lower it. */
#ifndef RONDO_NCCL_MPI_MOST
#define RONDO_NCCL_MPI_MOST INT_MAX
#endif

/* Makes a type of `bytes` bytes from byte `offset` on. Neither needs to fit in an int. */
static inline int Rondo_nccl_mpi_span(size_t bytes, size_t offset, MPI_Datatype* type) {
  enum { kUnit = 1 << 20 };
  int lengths[2];
  MPI_Aint places[2];
  MPI_Datatype parts[2];
  int code = MPI_Type_contiguous(kUnit, MPI_BYTE, &parts[0]);
  if (code != MPI_SUCCESS) return code;
  lengths[0] = (int)(bytes / kUnit);
  lengths[1] = (int)(bytes % kUnit);
  places[0] = (MPI_Aint)offset;
  places[1] = (MPI_Aint)(offset + bytes / kUnit * kUnit);
  parts[1] = MPI_BYTE;
  code = MPI_Type_create_struct(2, lengths, places, parts, type);
  MPI_Type_free(&parts[0]);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Type_commit(type);
  if (code != MPI_SUCCESS) MPI_Type_free(type);
  return code;
}

/* Collective. Returns MPI_SUCCESS if `code` is MPI_SUCCESS on all ranks, else an error on all
 * ranks, so that no rank goes on alone. */
static inline int Rondo_nccl_mpi_agree(int code, MPI_Comm comm) {
  int all = code == MPI_SUCCESS;
  const int reduced = MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  if (reduced != MPI_SUCCESS) return reduced;
  return all || code != MPI_SUCCESS ? code : MPI_ERR_OTHER;
}

static inline int Rondo_nccl_mpi_alltoall(void* state, const char* algorithm, const void* send,
                                          void* receive, size_t block_bytes) {
  const Rondo_nccl_mpi_state* own = (const Rondo_nccl_mpi_state*)state;
  MPI_Datatype block = MPI_DATATYPE_NULL;
  int code = Rondo_Comm_set_algorithm(own->comm, "alltoall", algorithm);
  if (code != MPI_SUCCESS) return code;
  if (block_bytes <= RONDO_NCCL_MPI_MOST)
    return Rondo_Alltoall(send, (int)block_bytes, MPI_BYTE, receive, (int)block_bytes, MPI_BYTE,
                          own->comm);
  code = Rondo_nccl_mpi_agree(Rondo_nccl_mpi_span(block_bytes, 0, &block), own->comm);
  if (code == MPI_SUCCESS) code = Rondo_Alltoall(send, 1, block, receive, 1, block, own->comm);
  if (block != MPI_DATATYPE_NULL) MPI_Type_free(&block);
  return code;
}

/* Converts numbers to int. Returns 0 if one is too large. */
static inline int Rondo_nccl_mpi_narrow(int* narrow, const size_t* wide, int number) {
  int i;
  for (i = 0; i < number; ++i) {
    if (wide[i] > RONDO_NCCL_MPI_MOST) return 0;
    narrow[i] = (int)wide[i];
  }
  return 1;
}

/* For blocks and offsets of any length: each block is a datatype. */
static inline int Rondo_nccl_mpi_alltoallw(const Rondo_nccl_mpi_state* own, const char* algorithm,
                                           const void* send, const size_t* send_bytes,
                                           const size_t* send_offsets, void* receive,
                                           const size_t* receive_bytes,
                                           const size_t* receive_offsets) {
  const int ranks = own->ranks;
  int* const ones = own->numbers;
  int* const zeros = own->numbers + ranks;
  MPI_Datatype* const types = own->types;
  int code = Rondo_Comm_set_algorithm(own->comm, "alltoallw", algorithm);
  int made = 0;
  int peer;
  while (made < 2 * ranks && code == MPI_SUCCESS) {
    const int is_sent = made < ranks;
    peer = made % ranks;
    ones[peer] = 1;
    zeros[peer] = 0;
    code = Rondo_nccl_mpi_span(is_sent ? send_bytes[peer] : receive_bytes[peer],
                               is_sent ? send_offsets[peer] : receive_offsets[peer], &types[made]);
    if (code == MPI_SUCCESS) ++made;
  }
  code = Rondo_nccl_mpi_agree(code, own->comm);
  if (code == MPI_SUCCESS)
    code =
        Rondo_Alltoallw(send, ones, zeros, types, receive, ones, zeros, types + ranks, own->comm);
  while (made > 0) MPI_Type_free(&types[--made]);
  return code;
}

static inline int Rondo_nccl_mpi_alltoallv(void* state, const char* algorithm, const void* send,
                                           const size_t* send_bytes, const size_t* send_offsets,
                                           void* receive, const size_t* receive_bytes,
                                           const size_t* receive_offsets) {
  const Rondo_nccl_mpi_state* own = (const Rondo_nccl_mpi_state*)state;
  const int ranks = own->ranks;
  int* const numbers = own->numbers;
  int fits, code;
  fits = Rondo_nccl_mpi_narrow(numbers, send_bytes, ranks) &&
         Rondo_nccl_mpi_narrow(numbers + ranks, send_offsets, ranks) &&
         Rondo_nccl_mpi_narrow(numbers + 2 * ranks, receive_bytes, ranks) &&
         Rondo_nccl_mpi_narrow(numbers + 3 * ranks, receive_offsets, ranks);
  /* All ranks must make the same call, even those whose own numbers are small. */
  code = MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, own->comm);
  if (code != MPI_SUCCESS) return code;
  if (!fits)
    return Rondo_nccl_mpi_alltoallw(own, algorithm, send, send_bytes, send_offsets, receive,
                                    receive_bytes, receive_offsets);
  code = Rondo_Comm_set_algorithm(own->comm, "alltoallv", algorithm);
  if (code != MPI_SUCCESS) return code;
  return Rondo_Alltoallv(send, numbers, numbers + ranks, MPI_BYTE, receive, numbers + 2 * ranks,
                         numbers + 3 * ranks, MPI_BYTE, own->comm);
}

static inline void Rondo_nccl_mpi_free(Rondo_nccl_mpi_state* state) {
  if (state == NULL) return;
  free(state->numbers);
  free(state->types);
  free(state);
}

/* Collective. Makes what mpi_staged needs, for plans whose rank p is rank p of the communicator.
 * Returns MPI's error class.
 *
 * Parameters:
 *   comm  MPI's communicator
 *   host  written by the call: what Rondo_nccl_plan_create takes */
static inline int Rondo_nccl_host_mpi(MPI_Comm comm, Rondo_nccl_host* host) {
  Rondo_nccl_mpi_state* state = (Rondo_nccl_mpi_state*)calloc(1, sizeof *state);
  int ranks = 0;
  int code = MPI_Comm_size(comm, &ranks);
  int ready;
  memset(host, 0, sizeof *host);
  if (state != NULL) {
    state->numbers = (int*)malloc((size_t)ranks * 4 * sizeof(int));
    state->types = (MPI_Datatype*)malloc((size_t)ranks * 2 * sizeof(MPI_Datatype));
  }
  ready = code == MPI_SUCCESS && state != NULL && state->numbers != NULL && state->types != NULL;
  /* No rank goes on alone. */
  MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
  if (!ready) {
    Rondo_nccl_mpi_free(state);
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

/* Collective. Frees what Rondo_nccl_host_mpi has made. Must be called after the plans have been
 * destroyed.
 *
 * Parameters:
 *   host  what is freed */
static inline void Rondo_nccl_host_mpi_free(Rondo_nccl_host* host) {
  Rondo_nccl_mpi_state* state = (Rondo_nccl_mpi_state*)host->state;
  if (state == NULL) return;
  MPI_Comm_free(&state->comm);
  Rondo_nccl_mpi_free(state);
  memset(host, 0, sizeof *host);
}

#ifdef __cplusplus
}
#endif

#endif
