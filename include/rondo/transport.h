/*
 * Rondo without MPI: all-to-all exchanges of bytes among processes that a program has started by
 * whatever means. Link with -lrondo_core. It needs no MPI.
 *
 * The processes are the ranks 0 .. P-1 of a group. The program gives Rondo a transport: functions
 * by which the ranks reach each other. On one node an allgather of small data is enough. It is
 * called only while a group is made; the exchanges go through memory that the ranks share. On
 * several nodes the program also sends and receives messages for Rondo: few for each pair of nodes
 * in an exchange, and one for each long block.
 *
 * Who may call. All ranks of a group must make calls marked collective, in the same order. Calls
 * marked local do not wait for other ranks. Only one thread at a time may use a group. Groups are
 * independent of each other, and of MPI: a process may use both. Messages of a group must not
 * reach one that another thread uses at the same time, or one that is made after the first has
 * failed: give them contexts that keep them apart.
 *
 * Errors. Functions return RONDO_SUCCESS or another Rondo_Group_code, and
 * Rondo_Group_get_last_error returns the text. If the arguments of an exchange are wrong on one
 * rank, that rank still takes part, and all ranks return an error. If two ranks disagree on the
 * length of a block, the one that receives it returns RONDO_TRUNCATED, or all ranks of its node do.
 * After both, later exchanges are right.
 *
 * Ranks that are missing. A rank that dies, or that leaves an exchange since it has no memory or
 * since its transport has failed, makes the others wait for `timeout_seconds`, or for ever without
 * such a limit. Each of them then returns RONDO_TRANSPORT_FAILED, as it does from then on: the
 * group can only be freed.
 *
 * Memory. Shared memory is a memfd or, where processes cannot reach each other's descriptors, a
 * shm_open object that is unlinked as soon as all ranks have it open. So a process that is killed
 * leaves nothing behind, except in the moment in between. The environment variables
 * RONDO_SLOT_BYTES, RONDO_MEMORY and RONDO_SINGLE_COPY bound it as they do under MPI; those of rank
 * 0 count. Other variables have no effect.
 *
 * Forks. A group belongs to the process that made it. A child that is forked may free it and may
 * make groups of its own, but must not exchange in it.
 */
#ifndef RONDO_TRANSPORT_H
#define RONDO_TRANSPORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RONDO_API
#define RONDO_API __attribute__((visibility("default")))
#endif

/* What functions return. */
typedef enum {
  RONDO_SUCCESS = 0,
  RONDO_WRONG_ARGUMENT,   /* a null pointer, a number out of range, an unreadable variable */
  RONDO_TRUNCATED,        /* a block has another length than its receiver expects */
  RONDO_NO_MEMORY,        /* no memory, or no shared memory */
  RONDO_TRANSPORT_FAILED, /* a function of the transport has failed, or a rank has not come */
  RONDO_FAILED            /* anything else */
} Rondo_Group_code;

/*
 * What the program gives. Its functions get `context`, return 0 if all is well and any other number
 * if not, which the text of the error then has, and are called only from within calls on the group,
 * on the calling thread. They must not call Rondo, nor throw exceptions. The structure is copied;
 * what it points to must live until the group is freed.
 */
typedef struct {
  size_t struct_bytes; /* of this structure, by which a later version knows what is there */

  int rank; /* of this process */
  int size; /* the number of ranks, P */
  void* context;

  /* Collective, and waits. Gathers `bytes` bytes, at most 4096, from `own` of each rank in `all`,
   * by rank. It is the program's to give up when a rank does not come. */
  int (*allgather)(void* context, const void* own, void* all, size_t bytes);

  /* Messages, for ranks on several nodes: all four functions on all ranks, or none on any rank.
   *
   * `send` and `receive` start a message and do not wait. They set *request to anything but a null
   * pointer, unless they fail. The memory must not be touched by the program until the message is
   * complete. `bytes` is never 0. A receive takes the first message with its source and tag that no
   * receive before it has taken. That message may be shorter than `bytes`, since only its sender
   * knows its length; a longer one is an error. Tags are in 0 .. 32767. Receives may be started
   * before or after their messages arrive, and messages with different tags may be received in any
   * order.
   *
   * `test` does not wait. It sets *is_complete to 1 and frees the request if the message is
   * complete: its memory may be used again. Otherwise it sets *is_complete to 0. It also lets other
   * messages go on, if nothing else does. Rondo calls it again and again. If it fails, the request
   * is still there.
   *
   * `cancel` gives up and frees a request after an error. Afterwards its memory must not be
   * touched. It cannot fail. */
  int (*send)(void* context, const void* data, size_t bytes, int destination, int tag,
              void** request);
  int (*receive)(void* context, void* data, size_t bytes, int source, int tag, void** request);
  int (*test)(void* context, void* request, int* is_complete);
  void (*cancel)(void* context, void* request);

  /* Ranks with the same text share memory. Null: by the name of the host and the running kernel. */
  const char* node;

  /* How long a call may wait for other ranks, counted from its first wait: more than 0, or 0 for as
   * long as it takes. It does not limit `allgather`. */
  double timeout_seconds;

  /* Null, or asked ten times a second while a call waits for other ranks: whether to stop, as when a
   * user has pressed Ctrl-C. 0 lets the call go on. Any other number ends it with
   * RONDO_TRANSPORT_FAILED. */
  int (*interrupted)(void* context);
} Rondo_Transport;

/* The ranks of a transport, ready to exchange. Rondo_Group_create makes it. */
typedef struct Rondo_Group_s* Rondo_Group;

/*
 * Collective. Makes a group: gathers a few times, and opens the shared memory of the node.
 *
 * After an error *group is null, on all ranks unless the transport of one is wrong or has failed.
 * Errors: RONDO_WRONG_ARGUMENT (this rank's transport lacks something or has a number out of range,
 * its allgather mixes up ranks, ranks are on several nodes without messages, or have different
 * versions of Rondo), RONDO_NO_MEMORY (ranks of one node cannot share memory, and there are no
 * messages), RONDO_TRANSPORT_FAILED.
 *
 * Parameters:
 *   transport  this rank's
 *   group      written by the call: the group
 */
RONDO_API int Rondo_Group_create(const Rondo_Transport* transport, Rondo_Group* group);

/*
 * Local. Frees a group and sets *group to null. Does nothing to a group that is null. Other ranks
 * may still be in their last exchange. The transport is not used any more when the call returns.
 *
 * Parameters:
 *   group  the address of the group
 */
RONDO_API int Rondo_Group_free(Rondo_Group* group);

/*
 * Local. Returns the rank of this process.
 *
 * Parameters:
 *   group  the group
 *   rank   written by the call: the rank
 */
RONDO_API int Rondo_Group_rank(Rondo_Group group, int* rank);

/*
 * Local. Returns how many ranks there are.
 *
 * Parameters:
 *   group  the group
 *   size   written by the call: the number of ranks
 */
RONDO_API int Rondo_Group_size(Rondo_Group group, int* size);

/*
 * Collective. Exchanges blocks of one length, the same between all ranks.
 *
 * Parameters:
 *   sendbuf  the blocks that this rank sends. The block to rank q begins at byte q * bytes. May be
 *            null if no bytes move, as all buffers may
 *   recvbuf  where the blocks are received. The block from rank p begins at byte p * bytes. Must
 *            not overlap sendbuf
 *   bytes    the length of each block, the same on all ranks
 *   group    the group, of P ranks
 */
RONDO_API int Rondo_Group_alltoall(const void* sendbuf, void* recvbuf, size_t bytes,
                                   Rondo_Group group);

/*
 * Collective. Exchanges blocks that may each have another length and another place.
 *
 * Parameters:
 *   sendbuf    the blocks that this rank sends
 *   sendbytes  P numbers: the length of the block to each rank
 *   sdispls    P numbers: where the block to each rank begins in sendbuf, in bytes
 *   recvbuf    where the blocks are received. Must not overlap sendbuf
 *   recvbytes  P numbers: the length of the block from each rank
 *   rdispls    P numbers: where the block from each rank goes in recvbuf, in bytes. Blocks must not
 *              overlap
 *   group      the group, of P ranks
 */
RONDO_API int Rondo_Group_alltoallv(const void* sendbuf, const size_t sendbytes[],
                                    const size_t sdispls[], void* recvbuf, const size_t recvbytes[],
                                    const size_t rdispls[], Rondo_Group group);

/* What a program gives as `allocate`: returns memory for `bytes` bytes, or a null pointer if there
 * is none. `extra` is that of the call. It must not call Rondo. */
typedef void* Rondo_Group_allocate_function(size_t bytes, void* extra);

/*
 * Collective. Exchanges blocks whose lengths their receivers do not know. They are received one
 * after another in the order of the ranks, so rdispls[P-1] + recvbytes[P-1] is the total.
 *
 * allocate(total, extra) is called once, if no rank has failed, and returns where they are received.
 * If it returns a null pointer for more than 0 bytes, the call returns RONDO_NO_MEMORY on this rank,
 * and the bytes are lost. If `allocate` is itself a null pointer, they are received in Rondo's own
 * memory. There they may be read and changed until the next exchange of this kind in the group, or
 * until it is freed.
 *
 * Parameters:
 *   sendbuf    the blocks that this rank sends
 *   sendbytes  P numbers: the length of the block to each rank
 *   sdispls    P numbers: where the block to each rank begins in sendbuf, in bytes
 *   allocate   the function that returns memory for the bytes, or a null pointer
 *   extra      what `allocate` gets as its second argument
 *   recvbuf    written by the call: where the bytes are; any pointer for 0 bytes
 *   recvbytes  P numbers, written by the call: the length of the block from each rank
 *   rdispls    P numbers, written by the call: where the block from each rank begins, in bytes
 *   group      the group, of P ranks
 */
RONDO_API int Rondo_Group_alltoallv_dynamic(const void* sendbuf, const size_t sendbytes[],
                                            const size_t sdispls[],
                                            Rondo_Group_allocate_function* allocate, void* extra,
                                            void** recvbuf, size_t recvbytes[], size_t rdispls[],
                                            Rondo_Group group);

/* Local. Returns the text of the calling thread's last error, empty if there was none. It is valid
 * until the thread's next call of Rondo, and never null. */
RONDO_API const char* Rondo_Group_get_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
