/*
 * Rondo over NCCL: all-to-all exchanges of GPU memory. Link with -lrondo_nccl; no MPI is needed. NCCL 2.18
 * or newer.
 *
 * A plan belongs to one communicator and one algorithm and holds all scratch memory. Its calls take
 * NCCL's types and, like NCCL's, are collective: every rank of the communicator makes the same
 * calls in the same order, each on a stream of its device. They put work into the stream and
 * return; send and receive buffers must not overlap and are the caller's again when the stream has
 * come past the call. The send buffer is not changed. The calls of one plan must follow each other
 * in stream order, and come from one thread at a time; different plans are independent as far as
 * NCCL lets a communicator be used.
 *
 * All calls but those of mpi_staged may be captured into a CUDA graph; a captured call keeps the
 * counts and displacements that it was given on the host, and reads those that lie on the device at
 * every replay.
 *
 * Algorithms (`rondo-bench-gpu --list` prints the table with parameters and sources):
 *
 *   name                  blocks of different length, counts on
 *   nccl_grouped          host            one group of sends and receives, as NCCL documents it
 *   nccl_native           -               ncclAlltoAll (NCCL 2.28 or newer)
 *   nccl_basic_bruck      -               as published: one copy a block, one group a round
 *   nccl_modified_bruck   -               as published: one copy a block, one group a round
 *   nccl_bruck            -               one group a phase, one kernel between two of them
 *   direct                host or device  one kernel that stores into the memory of the other ranks
 *   mpi_staged            host            through host memory and the caller's exchange, as over MPI
 *   graph:NAME            host            captures NAME at the first call and replays it
 *
 * Errors: ncclSuccess, or NCCL's code of what failed: ncclInvalidArgument for arguments that cannot
 * be, ncclInvalidUsage for what the algorithm does not do, ncclUnhandledCudaError for CUDA's errors,
 * ncclSystemError where memory is short, ncclRemoteError where other ranks did not take part.
 * Rondo_nccl_error() says what it was. An error of arguments is this rank's alone: as in NCCL, the
 * others wait until the communicator is aborted, or, in `direct`, until the plan's time is up.
 */
#ifndef RONDO_NCCL_H
#define RONDO_NCCL_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RONDO_API
#define RONDO_API __attribute__((visibility("default")))
#endif

/* What went wrong in this thread's last call that failed; valid until the next one. Never NULL. */
RONDO_API const char* Rondo_nccl_error(void);

/*
 * How mpi_staged exchanges what it has copied to the host: functions that return 0 if all went
 * well, and are called by all ranks in the same order. `algorithm` is the name after `inner=`.
 * rondo_nccl_mpi.h has them for MPI. Lengths and offsets are in bytes, one a rank.
 */
typedef struct {
  void* state; /* handed to the functions; must outlive the plan */
  int (*alltoall)(void* state, const char* algorithm, const void* send, void* receive,
                  size_t block_bytes);
  int (*alltoallv)(void* state, const char* algorithm, const void* send, const size_t* send_bytes,
                   const size_t* send_offsets, void* receive, const size_t* receive_bytes,
                   const size_t* receive_offsets);
} Rondo_nccl_host;

typedef struct Rondo_nccl_plan_of* Rondo_nccl_plan;

/*
 * Make a plan for exchanges whose blocks, from one rank to one rank, have up to `block_bytes`
 * bytes. Collective over `comm`, which must live as long as the plan; the current device is that of
 * `comm`.
 *
 * algorithm  a name of the table above, with parameters as in "nccl_bruck:radix=4"
 * host       for mpi_staged, else NULL is allowed
 *
 * Memory on the device, for P ranks and blocks of S bytes: none for nccl_grouped and nccl_native; 3
 * P S for nccl_basic_bruck, 2 P S for nccl_modified_bruck; (D + the largest phase) S and 12 bytes a
 * copy for nccl_bruck, D blocks sent in all; 2 P (S + 2.2 KiB) for direct; 2 P S pinned on the host
 * for mpi_staged. May block.
 */
RONDO_API ncclResult_t Rondo_nccl_plan_create(ncclComm_t comm, const char* algorithm,
                                              size_t block_bytes, const Rondo_nccl_host* host,
                                              Rondo_nccl_plan* plan);

/* Waits for the device. Collective for direct. *plan becomes NULL; a plan that is NULL is left alone. */
RONDO_API ncclResult_t Rondo_nccl_plan_destroy(Rondo_nccl_plan* plan);

/*
 * Whether the calls that the device has come past went well: direct notices on the device that
 * another rank did not come in time (ncclRemoteError), or that lengths do not agree or exceed the
 * plan's (ncclInvalidArgument). After such an error the plan is good for nothing but destroying.
 * Does not wait.
 */
RONDO_API ncclResult_t Rondo_nccl_plan_check(Rondo_nccl_plan plan);

/* How long direct waits for another rank; 10 seconds unless set. Not collective. */
RONDO_API ncclResult_t Rondo_nccl_plan_set_timeout(Rondo_nccl_plan plan, double seconds);

/*
 * Send `count` elements to every rank and receive as many from each: block q of `sendbuff`, from
 * element q * count on, goes to rank q, block p of `recvbuff` comes from rank p. `count` is the
 * same on all ranks.
 */
RONDO_API ncclResult_t Rondo_nccl_alltoall(const void* sendbuff, void* recvbuff, size_t count,
                                           ncclDataType_t datatype, ncclComm_t comm,
                                           cudaStream_t stream, Rondo_nccl_plan plan);

/*
 * The same with blocks of any length: sendcounts[q] elements from element sdispls[q] on go to rank
 * q. What a rank sends to another must be what the other receives from it.
 *
 * The four arrays lie together on the host, read before the call returns, or together on the device
 * (direct alone), read when the stream comes to the call; lengths need not be known on the host
 * then.
 */
RONDO_API ncclResult_t Rondo_nccl_alltoallv(const void* sendbuff, const size_t sendcounts[],
                                            const size_t sdispls[], void* recvbuff,
                                            const size_t recvcounts[], const size_t rdispls[],
                                            ncclDataType_t datatype, ncclComm_t comm,
                                            cudaStream_t stream, Rondo_nccl_plan plan);

/* Row `index` of the table of algorithms: NULL from the last one on. Lives as long as the library. */
RONDO_API const char* Rondo_nccl_algorithm(int index);

#ifdef __cplusplus
}
#endif

#endif
