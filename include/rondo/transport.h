/* Rondo without MPI: all-to-all exchanges of bytes among processes that a program has started by whatever means. The C
 * interface of librondo_core.
 *
 * The processes are the ranks 0 .. size-1 of a group. The program gives Rondo a transport: functions by which the ranks
 * reach each other. On one node an allgather of small data is enough. It is used only while the group is made; the
 * exchanges themselves go through memory that the ranks share. On several nodes the program also sends and receives
 * messages for Rondo: one for each pair of nodes in an exchange, and one for each long block.
 *
 * Functions return RONDO_SUCCESS or another Rondo_Group_code. Rondo_Group_get_last_error returns the text of the calling
 * thread's last error. Calls marked collective must be made by all ranks of the group, in the same order. Only one
 * thread at a time may use a group. Groups are independent of each other, and of MPI: a process may use both.
 *
 * Errors on other ranks. A rank with wrong arguments still takes part, and all ranks return an error. If ranks disagree
 * on the length of a block, the receiver returns RONDO_TRUNCATED, or all ranks of its node do, and later exchanges are
 * right. A rank that dies, or that leaves an exchange since it has no memory or since its transport has failed, makes
 * the others wait for `timeout_seconds`, or for ever without such a limit. Each of them then returns RONDO_TRANSPORT_FAILED, as it does from then on: the
 * group can only be freed.
 *
 * Shared memory is a memfd, or where processes cannot reach each other's descriptors a shm_open object that is unlinked
 * as soon as all ranks have it open. So nothing is left behind by a process that is killed, except in the moment in
 * between. RONDO_SLOT_BYTES, RONDO_MEMORY and RONDO_SINGLE_COPY bound it as they do under MPI; rank 0's count. No other
 * variable has an effect.
 *
 * A group belongs to the process that made it. A child that it forks must not use it, but may make groups of its own. */
#ifndef RONDO_TRANSPORT_H
#define RONDO_TRANSPORT_H

#include <stddef.h>

#define RONDO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  RONDO_SUCCESS = 0,
  RONDO_WRONG_ARGUMENT, /* a null pointer, a number out of range, a variable that cannot be read */
  RONDO_TRUNCATED,      /* a block has another length than its receiver expects */
  RONDO_NO_MEMORY,      /* no memory, or no shared memory */
  RONDO_TRANSPORT_FAILED, /* a function of the transport has failed, or a rank was waited for in vain */
  RONDO_FAILED            /* anything else */
} Rondo_Group_code;

/* What the program gives. Its functions get `context`, return 0 if all is well and any other number if not, which the
 * text of the error then names, and are called only from within calls on the group, on their thread. They must not call
 * Rondo or throw exceptions. The structure is copied; what it points to must live until the group is freed. */
typedef struct {
  size_t struct_bytes; /* sizeof(Rondo_Transport), by which a later version knows what is there */

  int rank;
  int size;
  void* context;

  /* Collective, and waits. Gathers `bytes` bytes, at most 4096, from `own` of each rank in `all`, by rank. It is the
   * program's to give up when a rank does not come. */
  int (*allgather)(void* context, const void* own, void* all, size_t bytes);

  /* Messages, for ranks on several nodes: all four functions, or on one node none. On all ranks alike.
   *
   * `send` and `receive` start a message and do not wait. They set *request to anything but a null pointer. The memory
   * must not be touched by the program until the message is complete. `bytes` is never 0. A receive takes the first
   * message with its source and tag that no receive before it has taken. That message may be shorter than `bytes`, since
   * only its sender knows its length; a longer one is an error. Tags are in 0 .. 32767. Receives may be started before
   * or after their messages arrive, and messages with different tags may be received in any order.
   *
   * `test` does not wait. It sets *is_complete to 1 and frees the request if the message is complete: its memory may be
   * used again. Otherwise it sets *is_complete to 0. It also lets other messages go on, if nothing else does. Rondo calls
   * it again and again.
   *
   * `cancel` gives up and frees a request after an error. Afterwards its memory must not be touched. It cannot fail. */
  int (*send)(void* context, const void* data, size_t bytes, int destination, int tag,
              void** request);
  int (*receive)(void* context, void* data, size_t bytes, int source, int tag, void** request);
  int (*test)(void* context, void* request, int* is_complete);
  void (*cancel)(void* context, void* request);

  /* Ranks with the same text share memory. Null: this is found out, by the name of the host and the running kernel. */
  const char* node;

  /* How long a call may wait for other ranks, counted from its first wait: more than 0, or 0 for as long as it takes.
   * It does not count the time in `allgather`. */
  double timeout_seconds;
} Rondo_Transport;

/* The ranks of a transport, ready to exchange. */
typedef struct Rondo_Group_s* Rondo_Group;

/* Collective: makes a group. Gathers a few times, and opens the shared memory of the node. After an error *group is
 * null, on all ranks unless the transport has failed or was wrong. Errors: RONDO_WRONG_ARGUMENT (this rank's transport
 * has a null pointer, a rank out of range or another struct_bytes; ranks on several nodes without messages; different
 * versions of Rondo), RONDO_NO_MEMORY (ranks of one node cannot share memory, and there are no messages),
 * RONDO_TRANSPORT_FAILED. */
RONDO_API int Rondo_Group_create(const Rondo_Transport* transport, Rondo_Group* group);

/* Local. Frees a group and sets *group to null. A null pointer is left alone. Other ranks may still be in their last
 * exchange. The transport is not used any more when the call returns. */
RONDO_API int Rondo_Group_free(Rondo_Group* group);

/* Local. */
RONDO_API int Rondo_Group_rank(Rondo_Group group, int* rank);
RONDO_API int Rondo_Group_size(Rondo_Group group, int* size);

/* ---- Exchanges. Collective. Lengths and displacements are in bytes. The memory that is sent and the memory that is
 * received must not overlap. Buffers may be null if no bytes move. */

/* The block to rank r begins at sendbuf + r * bytes, that from rank r at recvbuf + r * bytes. `bytes` must be the same
 * on all ranks. */
RONDO_API int Rondo_Group_alltoall(const void* sendbuf, void* recvbuf, size_t bytes,
                                   Rondo_Group group);

/* The block to rank r has sendbytes[r] bytes from sendbuf + sdispls[r] on, that from rank r recvbytes[r] bytes from
 * recvbuf + rdispls[r] on. Blocks that are received must not overlap. */
RONDO_API int Rondo_Group_alltoallv(const void* sendbuf, const size_t sendbytes[],
                                    const size_t sdispls[], void* recvbuf, const size_t recvbytes[],
                                    const size_t rdispls[], Rondo_Group group);

/* Returns memory for `bytes` bytes, or a null pointer. It must not call Rondo. */
typedef void* Rondo_Group_allocate_function(size_t bytes, void* extra);

/* For ranks that do not know how much they receive. The sending side is that of Rondo_Group_alltoallv. recvbytes and
 * rdispls are written: how many bytes have come from each rank, and where they begin. The blocks lie one after another
 * in the order of the ranks, so rdispls[size-1] + recvbytes[size-1] is the total.
 *
 * They are received where allocate(total, extra) says, which is called once, if no rank has failed. If it returns a null
 * pointer for more than 0 bytes, the call returns RONDO_NO_MEMORY on this rank, and the bytes are lost. If `allocate` is
 * itself a null pointer, they are received in Rondo's own memory, where they may be read and changed until the group's
 * next exchange of this kind, or until it is freed. *recvbuf is set to the place; it may be any pointer for 0 bytes. */
RONDO_API int Rondo_Group_alltoallv_dynamic(const void* sendbuf, const size_t sendbytes[],
                                            const size_t sdispls[],
                                            Rondo_Group_allocate_function* allocate, void* extra,
                                            void** recvbuf, size_t recvbytes[], size_t rdispls[],
                                            Rondo_Group group);

/* Local. Returns the text of the calling thread's last error, empty if there was none. It is valid until the thread's
 * next call of Rondo. */
RONDO_API const char* Rondo_Group_get_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
