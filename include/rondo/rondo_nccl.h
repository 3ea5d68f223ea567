/*
 * Rondo over NCCL: all-to-all exchanges of GPU memory. Link with -lrondo_nccl. It needs NCCL 2.18
 * or newer, and no MPI.
 *
 * A plan belongs to one communicator and one algorithm and holds all scratch memory. Its calls take
 * NCCL's types and, like NCCL's, are collective: every rank of the communicator makes the same
 * calls in the same order, each on a stream of its device. A call puts work into the stream and
 * returns. Send and receive buffers must not overlap, and belong to the caller again when the
 * stream has passed the call. The send buffer is not changed. The calls of one plan must follow
 * each other in stream order and come from one thread at a time. Different plans are independent
 * within NCCL's own rules for a communicator.
 *
 * All calls except those of mpi_staged may be captured into a CUDA graph. A captured call keeps the
 * counts and displacements that it got on the host, and reads those on the device at every replay.
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
 *   mpi_staged            host            through host memory and the caller's exchange, such as MPI
 *   graph:NAME            host            captures NAME at the first call and replays it
 *
 * Errors: functions return ncclSuccess or one of NCCL's codes: ncclInvalidArgument for invalid
 * arguments, ncclInvalidUsage for what the algorithm does not support, ncclUnhandledCudaError for
 * CUDA's errors, ncclSystemError if memory is short, ncclRemoteError if another rank did not take
 * part. Rondo_nccl_error() returns the text. An error in the arguments is returned on this rank
 * only: as in NCCL, the other ranks wait until the communicator is aborted or, with `direct`, until
 * the plan's timeout. Of counts on the device that are too large for the plan or for the send buffer,
 * `direct` tells those who would receive the blocks, so they do not wait.
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

/* Local. Returns the text of this thread's last error. It is valid until the next error, and never
 * NULL. */
RONDO_API const char* Rondo_nccl_error(void);

/*
 * How mpi_staged exchanges what it has copied to the host. The functions return 0 on success. All
 * ranks call them in the same order. `algorithm` is the name after `inner=`. Lengths and offsets
 * are in bytes, one for each rank. rondo_nccl_mpi.h has these functions for MPI.
 */
typedef struct {
  void* state; /* passed to the functions; must outlive the plan */
  int (*alltoall)(void* state, const char* algorithm, const void* send, void* receive,
                  size_t block_bytes);
  int (*alltoallv)(void* state, const char* algorithm, const void* send, const size_t* send_bytes,
                   const size_t* send_offsets, void* receive, const size_t* receive_bytes,
                   const size_t* receive_offsets);
} Rondo_nccl_host;

/* A plan. Rondo_nccl_plan_create makes it. */
typedef struct Rondo_nccl_plan_of* Rondo_nccl_plan;

/*
 * Collective. Makes a plan for exchanges of blocks of limited length. The communicator must outlive
 * the plan, and the current device must be that of the communicator. May block.
 *
 * Memory. A plan takes memory on the device, for P ranks, blocks of S bytes and D blocks that a rank
 * sends in all:
 * - none for nccl_grouped and nccl_native;
 * - 3 P S for nccl_basic_bruck;
 * - 2 P S for nccl_modified_bruck;
 * - (D + the largest phase) S, and 12 bytes for each copy, for nccl_bruck;
 * - 2 P (S + 2.2 KiB) for direct;
 * - none for mpi_staged, but 2 P S of pinned host memory.
 *
 * Parameters:
 *   comm         NCCL's communicator
 *   algorithm    a name in the table above, with parameters as in "nccl_bruck:radix=4"
 *   block_bytes  the length of the longest block
 *   host         how hosts exchange, for mpi_staged; otherwise NULL is allowed
 *   plan         written by the call: the plan
 */
RONDO_API ncclResult_t Rondo_nccl_plan_create(ncclComm_t comm, const char* algorithm,
                                              size_t block_bytes, const Rondo_nccl_host* host,
                                              Rondo_nccl_plan* plan);

/* Waits for the device, destroys a plan and sets *plan to NULL. Collective for direct. Does
 * nothing to a plan that is NULL. A graph that has captured a call must not be launched afterwards,
 * and NCCL waits in ncclCommDestroy until all graphs with its own calls are destroyed.
 *
 * Parameters:
 *   plan  the address of the plan */
RONDO_API ncclResult_t Rondo_nccl_plan_destroy(Rondo_nccl_plan* plan);

/*
 * Returns the error of a call that the device has already reached, if any: direct finds on the
 * device that another rank has not arrived in time or that its counts exceed its send buffer
 * (ncclRemoteError), or that lengths do not match or exceed the plan's or a buffer's
 * (ncclInvalidArgument). After such an error the plan can only be destroyed. Does not wait.
 *
 * Parameters:
 *   plan  the plan
 */
RONDO_API ncclResult_t Rondo_nccl_plan_check(Rondo_nccl_plan plan);

/* Local. Sets how long direct waits for another rank.
 *
 * Parameters:
 *   plan     the plan
 *   seconds  how long; 10 by default */
RONDO_API ncclResult_t Rondo_nccl_plan_set_timeout(Rondo_nccl_plan plan, double seconds);

/*
 * Collective. Exchanges blocks of one length, the same between all ranks.
 *
 * Parameters:
 *   sendbuff  the blocks that this rank sends, in device memory. The block to rank q begins at
 *             element q * count
 *   recvbuff  where the blocks are received, in device memory. The block from rank p begins at
 *             element p * count
 *   count     elements in each block, the same on all ranks
 *   datatype  the type of the elements
 *   comm      the communicator of the plan
 *   stream    the stream that gets the work
 *   plan      the plan
 */
RONDO_API ncclResult_t Rondo_nccl_alltoall(const void* sendbuff, void* recvbuff, size_t count,
                                           ncclDataType_t datatype, ncclComm_t comm,
                                           cudaStream_t stream, Rondo_nccl_plan plan);

/*
 * Collective. Exchanges blocks that may each have another length and another place. The block that a
 * rank sends to another must have the length that the other receives from it.
 *
 * The four arrays lie all on the host or, for direct only, all on the device. On the host they are
 * read before the call returns. On the device they are read when the stream reaches the call, so
 * the host need not know the lengths.
 *
 * Parameters:
 *   sendbuff    the blocks that this rank sends, in device memory
 *   sendcounts  P numbers: elements in the block to each rank
 *   sdispls     P numbers: where the block to each rank begins, in elements
 *   recvbuff    where the blocks are received, in device memory
 *   recvcounts  P numbers: elements in the block from each rank
 *   rdispls     P numbers: where the block from each rank goes, in elements
 *   datatype    the type of the elements
 *   comm        the communicator of the plan, of P ranks
 *   stream      the stream that gets the work
 *   plan        the plan
 */
RONDO_API ncclResult_t Rondo_nccl_alltoallv(const void* sendbuff, const size_t sendcounts[],
                                            const size_t sdispls[], void* recvbuff,
                                            const size_t recvcounts[], const size_t rdispls[],
                                            ncclDataType_t datatype, ncclComm_t comm,
                                            cudaStream_t stream, Rondo_nccl_plan plan);

/*
 * Collective. Exchanges blocks whose lengths only their senders know, on the device. The host does
 * not learn them. For direct and graph:direct. The blocks follow each other in both buffers, in the
 * order of the ranks. Lengths are in rows. A row has the same number of bytes on all ranks.
 *
 * The arrays lie on the device and must not overlap. They are read and written when the stream
 * reaches the call. A block that is too long for the plan, counts that exceed the send buffer, and
 * blocks for which the receive buffer has no room are errors that Rondo_nccl_plan_check returns.
 * Nothing is written outside the buffers then.
 *
 * Parameters:
 *   sendbuff    the blocks that this rank sends, in device memory
 *   sendcounts  P numbers: rows in the block to each rank
 *   sendrows    rows in sendbuff; the numbers in sendcounts may add up to less
 *   recvbuff    where the blocks are received, in device memory
 *   recvcounts  P numbers, written: rows in the block from each rank
 *   rdispls     P numbers, written: the row at which the block from each rank begins
 *   recvrows    how many rows recvbuff has room for
 *   row_bytes   bytes in a row, more than 0
 *   comm        the communicator of the plan, of P ranks
 *   stream      the stream that gets the work
 *   plan        the plan
 */
RONDO_API ncclResult_t Rondo_nccl_alltoallv_dynamic(const void* sendbuff, const size_t sendcounts[],
                                                    size_t sendrows, void* recvbuff,
                                                    size_t recvcounts[], size_t rdispls[],
                                                    size_t recvrows, size_t row_bytes,
                                                    ncclComm_t comm, cudaStream_t stream,
                                                    Rondo_nccl_plan plan);

/* Local. Returns a name of the table of algorithms, or NULL past the last row. It lives as long as
 * the library.
 *
 * Parameters:
 *   index  the row, from 0 on */
RONDO_API const char* Rondo_nccl_algorithm(int index);

#ifdef __cplusplus
}
#endif

#endif
