/* Rondo: all-to-all exchanges in rounds. The C interface.
 *
 * Functions return an MPI error class (MPI_SUCCESS on success). Like MPI's own errors, an error is
 * also raised through the communicator's error handler, unless Rondo_Errors_return says otherwise.
 * Before a fatal handler ends the program, the text is printed on stderr. Rondo_Get_last_error
 * returns the text of the calling thread's last error.
 *
 * Unless stated otherwise, functions may be called only between MPI_Init and MPI_Finalize, by any
 * thread that may call MPI. Later exchanges, from delete callbacks of MPI_COMM_SELF or in a
 * session, are forwarded to the MPI library, and so is the execution of a plan while its
 * communicator exists. On all ranks an exchange in a session must end before MPI_Finalize begins, or
 * begin after it has ended. All ranks of the communicator must make calls marked collective, in the
 * same order as its other collectives.
 *
 * Errors on other ranks. The arguments of MPI are local: one rank's own may be wrong while the
 * others' are right. `auto` uses node_aware and fused_bruck, except with a few ranks on several nodes
 * (RONDO_VERBOSE=1 shows it), and in calls that the MPI library carries out: the first ones, those in
 * which `auto` tries it, and all if it is the fastest (RONDO_LEARN=0: only where a profile says so). With
 * these two, a rank with wrong arguments or data that it cannot pack still takes part, and all ranks
 * return the error.
 * If ranks disagree on the length of a block, these two algorithms return MPI_ERR_TRUNCATE on the rank
 * that receives it or, where any rank of a node exchanges a long block with another rank of that node, on
 * all ranks of the node; other ranks may return success. Every length is compared. No
 * rank waits for ever, nothing is written outside the blocks, and later exchanges are right. (In place,
 * this holds for blocks of up to 1 MiB. It does not hold for MPI_Alltoall under `auto`, which
 * chooses by the length: a rank all of whose counts or types are wrong returns alone.) There, and with the
 * algorithms kept as their papers published them, all this is guaranteed only with RONDO_CHECK=1. Without it
 * the other ranks may wait for ever, or take that rank's next exchange for this one, as they may in MPI. If a block is
 * longer than its receiver expects, and neither length is 0, the receiver returns MPI_ERR_TRUNCATE, or all
 * ranks do, and later exchanges are right; but Open MPI 4.1 writes what does not fit behind a long block
 * inside a node, and MPICH raises the error on MPI_COMM_WORLD. A rank that runs out of memory, or whose MPI
 * call fails, leaves the exchange, and others may wait for it. Except after the first call on a communicator,
 * later exchanges there, and nonblocking ones that have not begun, then return MPI_ERR_OTHER on that rank,
 * and its private communicator is never freed, since messages may still be in flight.
 *
 * State. In the first call on a communicator the ranks take rank 0's settings (the environment variables in
 * docs/tuning.md). Unless an algorithm is named, `auto` forwards the first calls to the MPI
 * library: at least 32 calls, and until set-up would have saved as much time on them as it takes (the ranks
 * compare the two after 32, 64, 128, ... calls); or RONDO_FORWARD_CALLS calls if that is set. A
 * communicator that lives for a few calls thus does not pay for set-up. Then, or at
 * Rondo_Comm_prepare, the state is made: one private communicator, the map of nodes, scratch memory
 * and, with the first algorithm that uses it, the shared memory of the node. Its size depends on
 * RONDO_SLOT_BYTES and the numbers of ranks, and all communicators of a rank together stay within
 * RONDO_MEMORY. A process has the state of at most 256 communicators at a time, since MPI libraries run out
 * of communicators. Beyond that, or if set-up fails on any rank, for lack of memory too, the exchanges on a
 * communicator are forwarded to the MPI library, and one rank warns, once in the process. The state is freed
 * with the communicator, at the latest in MPI_Finalize. Scratch memory grows to what the largest call needed
 * (growing may add half) and is then kept: a call that moves no more bytes in any round allocates nothing.
 *
 * Shared memory is a memfd, so a killed job leaves nothing behind. If processes cannot reach each
 * other's descriptors, it is a shm_open object, which is unlinked as soon as all ranks have it
 * open. If any rank cannot have shared memory, all ranks of the communicator use messages instead,
 * and rank 0 prints each reason once on stderr. While a rank waits for its node, MPI makes
 * progress.
 *
 * Inside a node a block of more than 4 KiB, or than the algorithm's threshold, goes through shared
 * memory in pieces, or its receiver copies it straight from the memory of its sender, once
 * (process_vm_readv): whichever has taken less time, and in a nonblocking exchange always the latter. With
 * RONDO_SINGLE_COPY=0 a rank never reads another's memory, and with RONDO_SINGLE_COPY=2 always. That is
 * possible if the system lets all ranks of the communicator read the memory of their neighbours. They
 * try it when the shared memory is made: containers, Yama (kernel.yama.ptrace_scope, which Rondo does
 * not lift but some MPI libraries do), seccomp filters, and processes that are not dumpable can forbid
 * it.
 *
 * Device buffers. The send buffer, the receive buffer or both may be memory that only a GPU can
 * access. The rank then packs its blocks into host memory before the exchange and unpacks them
 * after it, whatever the algorithm and whatever the other ranks' buffers. Memory that the host can
 * access as well (managed memory, or host memory known to the device) is used where it is. Nothing
 * is done unless the program has loaded CUDA's driver (libcuda.so.1, as every program that uses
 * CUDA has) or HIP's run-time library by the time of the call. All blocks of a buffer must be in
 * the same kind of memory, since Rondo asks only about the first byte. As in MPI, the program's own
 * work on a buffer must be finished before the call; when the call returns, the data has arrived. A
 * block whose type is not contiguous must lie in one allocation with its gaps, which are read and
 * written back unchanged. A failed copy is MPI_ERR_OTHER: from a send buffer on all ranks that
 * return the errors of others (see above), to a receive buffer on this rank only. A forwarded call
 * passes the buffers on unchanged, and the MPI library must support them. While the program runs,
 * `auto` tries the MPI library only if no rank had loaded such a library when the communicator began to
 * learn, about 100 calls after its first, or if the MPI library says that it supports its memory
 * (MPIX_Query_cuda_support, MPIX_Query_rocm_support).
 *
 * Lengths. A block may be longer than 2 GiB, and so may totals and displacements in bytes.
 */
#ifndef RONDO_RONDO_H
#define RONDO_RONDO_H

#include <mpi.h>

/* The version of this header, and of all of Rondo: everything else takes it from here. */
#define RONDO_VERSION_MAJOR 1
#define RONDO_VERSION_MINOR 1
#define RONDO_VERSION_PATCH 0

#define RONDO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Exchanges. Collective. Arguments and meaning are exactly those of MPI_Alltoall,
 * MPI_Alltoallv and MPI_Alltoallw: any datatypes, MPI_IN_PLACE as sendbuf, MPI_BOTTOM, zero counts.
 * On an inter-communicator they are forwarded to the MPI library. Errors: MPI_ERR_COUNT (negative
 * or too large), MPI_ERR_BUFFER (null with bytes to move), MPI_ERR_TYPE, MPI_ERR_COMM,
 * MPI_ERR_TRUNCATE (a rank sends more or less than this rank expects, if that is detected),
 * MPI_ERR_NO_MEM, or what MPI returned. */

RONDO_API int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm);

RONDO_API int Rondo_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm);
#endif

/* ---- Dynamic exchanges: alltoallv for ranks that do not know how much they receive. One call
 * takes the place of an alltoall of counts and an alltoallv. Collective, on intra-communicators.
 *
 * The sending side is that of MPI_Alltoallv, without MPI_IN_PLACE. recvcounts and rdispls are
 * written: how many elements of recvtype have come from each rank and where they begin. The blocks
 * lie one after another in the order of the ranks, so rdispls[P-1] + recvcounts[P-1] is the total.
 * The two functions say where they go; each rank may call either of them.
 *
 * Rondo_Alltoallv_dynamic receives in recvbuf, which has room for recvcapacity elements. If more
 * arrive, it returns MPI_ERR_TRUNCATE on this rank, with a text that says how many; the other ranks
 * return success. Nothing is lost: recvcounts and rdispls are right, and Rondo keeps the elements
 * for Rondo_Alltoallv_dynamic_take until the next dynamic exchange on the communicator.
 *
 * Rondo_Alltoallv_dynamic_alloc receives where allocate(total, extra) says, which is called once,
 * on the calling thread, with the total number of elements, if no rank has failed. It must not call
 * MPI or Rondo. Other ranks may be waiting for it. If it returns a null pointer for more than 0
 * elements, the call returns MPI_ERR_NO_MEM on this rank, and Rondo keeps the elements as above. If
 * `allocate` is itself a null pointer, the elements are received in Rondo's own memory in the host,
 * where they may be read and changed until the next dynamic exchange on the communicator, or until
 * it is freed. recvbuf is the address of a pointer, which is set to the place of the elements (null
 * for 0 elements in Rondo's memory); it may be null if there is an `allocate`.
 *
 * Algorithms. These calls run what is chosen for "alltoallv". fused_bruck and node_aware carry the
 * lengths along with the blocks. Before any other the lengths go first, by what an alltoall of one
 * 8-byte integer runs. A forwarded call is the MPI library's alltoall and then its alltoallv. What
 * Rondo keeps is copied once more when it is taken.
 *
 * Errors. As above; but a rank's wrong arguments are reported on all ranks whatever the algorithm,
 * without RONDO_CHECK=1. A rank that receives what is not a multiple of recvtype's size
 * (MPI_ERR_TRUNCATE) or more than recvcounts and rdispls can count (MPI_ERR_COUNT) returns this
 * alone, and these blocks are lost. In a forwarded call it then leaves the exchange, and others may
 * wait for it. Once MPI_Finalize has begun, these calls return MPI_ERR_OTHER. */

RONDO_API int Rondo_Alltoallv_dynamic(const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                      int recvcapacity, int recvcounts[], int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm comm);

/* Returns memory for `count` elements, or a null pointer. */
typedef void* Rondo_Allocate_function(MPI_Count count, void* extra);

RONDO_API int Rondo_Alltoallv_dynamic_alloc(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            Rondo_Allocate_function* allocate, void* extra,
                                            void* recvbuf, int recvcounts[], int rdispls[],
                                            MPI_Datatype recvtype, MPI_Comm comm);

/* Local. Copies what Rondo keeps of this rank's last dynamic exchange on the communicator to
 * recvbuf, in host memory with room for recvcapacity elements. recvtype is that of the exchange.
 * Errors: MPI_ERR_TRUNCATE if the room is still too small, MPI_ERR_TYPE if recvtype has another
 * size, extent or true extent, MPI_ERR_ARG if nothing is kept. */
RONDO_API int Rondo_Alltoallv_dynamic_take(void* recvbuf, MPI_Count recvcapacity,
                                           MPI_Datatype recvtype, MPI_Comm comm);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Alltoallv_dynamic_c(const void* sendbuf, const MPI_Count sendcounts[],
                                        const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                        void* recvbuf, MPI_Count recvcapacity,
                                        MPI_Count recvcounts[], MPI_Aint rdispls[],
                                        MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Alltoallv_dynamic_alloc_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                              Rondo_Allocate_function* allocate, void* extra,
                                              void* recvbuf, MPI_Count recvcounts[],
                                              MPI_Aint rdispls[], MPI_Datatype recvtype,
                                              MPI_Comm comm);
#endif

/* ---- Sparse exchanges: dynamic exchanges in which each rank names only the ranks to which it sends,
 * and learns who has sent to it. No argument has an entry for every rank. Collective, on
 * intra-communicators.
 *
 * The i-th block has sendcounts[i] elements from sdispls[i] on and goes to rank destinations[i], for
 * i in 0 .. ndestinations - 1. The destinations are in any order. The rank itself may be among them,
 * and none may be named twice (MPI_ERR_ARG). A block of 0 elements is not sent, and its receiver does
 * not learn of it. With 0 destinations the three arrays may be null pointers. MPI_IN_PLACE is not
 * allowed.
 *
 * The blocks that arrive lie one after another in the order of the ranks from which they come. The
 * receiving side is that of a dynamic exchange: Rondo_Sparse_alltoallv receives in recvbuf, and
 * Rondo_Sparse_alltoallv_alloc where allocate says or in Rondo's own memory. What does not fit, Rondo
 * keeps for Rondo_Alltoallv_dynamic_take until the next dynamic or sparse exchange on the
 * communicator. `sources` is right then too. Each rank may call either function.
 *
 * Algorithms. These calls run what is chosen for "sparse_alltoallv". `auto` runs node_aware if ranks
 * share a node's memory (on several nodes only with more than 8 and at most 1024 ranks, or with more
 * than 16 if nodes have 2 ranks), else fused_bruck with up to 32 ranks and nbx with more. A forwarded call is the MPI library's alltoall of lengths and then its
 * alltoallv.
 *
 * Errors. As those of dynamic exchanges: a rank's wrong arguments are reported on all ranks, whatever
 * the algorithm, and later exchanges are right. */

/* The ranks from which blocks have come, in ascending order, and where each block is. The arrays are
 * Rondo's, and are valid until the next sparse exchange on the communicator, or until it is freed. */
typedef struct {
  int count;         /* how many ranks have sent a block to this rank */
  const int* ranks;  /* which */
  const int* counts; /* how many elements of recvtype the block has */
  const int* displs; /* where it begins, in elements */
} Rondo_Sources;

/* The same for calls with large counts. */
typedef struct {
  int count;
  const int* ranks;
  const MPI_Count* counts;
  const MPI_Aint* displs;
} Rondo_Sources_c;

RONDO_API int Rondo_Sparse_alltoallv(const void* sendbuf, int ndestinations,
                                     const int destinations[], const int sendcounts[],
                                     const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     int recvcapacity, MPI_Datatype recvtype,
                                     Rondo_Sources* sources, MPI_Comm comm);

RONDO_API int Rondo_Sparse_alltoallv_alloc(const void* sendbuf, int ndestinations,
                                           const int destinations[], const int sendcounts[],
                                           const int sdispls[], MPI_Datatype sendtype,
                                           Rondo_Allocate_function* allocate, void* extra,
                                           void* recvbuf, MPI_Datatype recvtype,
                                           Rondo_Sources* sources, MPI_Comm comm);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Sparse_alltoallv_c(const void* sendbuf, int ndestinations,
                                       const int destinations[], const MPI_Count sendcounts[],
                                       const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                       void* recvbuf, MPI_Count recvcapacity, MPI_Datatype recvtype,
                                       Rondo_Sources_c* sources, MPI_Comm comm);

RONDO_API int Rondo_Sparse_alltoallv_alloc_c(const void* sendbuf, int ndestinations,
                                             const int destinations[], const MPI_Count sendcounts[],
                                             const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                             Rondo_Allocate_function* allocate, void* extra,
                                             void* recvbuf, MPI_Datatype recvtype,
                                             Rondo_Sources_c* sources, MPI_Comm comm);
#endif

/* ---- Neighbourhood exchanges: with the ranks to which there is an edge of the communicator's topology,
 * as made by MPI_Cart_create, MPI_Graph_create, MPI_Dist_graph_create or
 * MPI_Dist_graph_create_adjacent. Collective over the communicator: ranks without edges call them too.
 * Arguments and meaning are those of MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv and
 * MPI_Neighbor_alltoallw, with a block for every edge. MPI_IN_PLACE is MPI_ERR_BUFFER. On a
 * communicator without a topology, as on an inter-communicator, they return MPI_ERR_TOPOLOGY.
 *
 * Which edges match. Several edges from one rank to another match in the order in which the two ranks
 * have them, and act as one block. On a Cartesian topology what a rank sends to its neighbour in the
 * negative direction of a dimension arrives there as coming from the neighbour in the positive
 * direction, as MPI 4.0 says, even if one rank is both. Some MPI libraries differ in periodic dimensions
 * of one or two ranks, and MPICH 4.0 where there are several edges from one rank to another; on such a
 * topology Rondo sets itself up at the first call and forwards nothing.
 * A block to or from MPI_PROC_NULL is neither sent nor changed. On a graph made by MPI_Graph_create, two
 * ranks must have as many edges to each other; otherwise all ranks return MPI_ERR_TOPOLOGY.
 *
 * Algorithms. These calls, of all three forms, run what is chosen for "neighbor_alltoallv": spread_out
 * sends a message along every edge, and node_aware one to every node to which there is an edge; inside a
 * node it uses shared memory. The topology is read once for each communicator. Under `auto` the ranks
 * choose between node_aware and the MPI library's own call (spread_out if libraries differ in which
 * edges match), by the topology and by the longest block of the first call that is not forwarded; they
 * choose again at the calls 64, 128, 256, ... after it. A plan chooses by its own longest block.
 *
 * Errors. Without node_aware they are local, as in MPI: a rank with wrong arguments returns, and others
 * may wait for it for ever. With node_aware such a rank takes part, and the error is returned by all
 * ranks of its node and by all ranks to which a rank of its node has an edge. If one of several ranks
 * disagrees with another on the length of their block, the rank that receives it returns
 * MPI_ERR_TRUNCATE, and inside a node where any rank has a long block all ranks of the node do. Other
 * ranks may return success. No rank waits for ever, nothing is written outside the blocks, and later
 * exchanges are right. With RONDO_CHECK=1, and when a plan is made, all ranks return any of these
 * errors, whatever the algorithm. */

RONDO_API int Rondo_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm);

RONDO_API int Rondo_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void* recvbuf, const int recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm);

RONDO_API int Rondo_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                         MPI_Comm comm);

RONDO_API int Rondo_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                         MPI_Comm comm);
#endif

/* ---- Nonblocking exchanges. Rondo_Ialltoall, Rondo_Ialltoallv and Rondo_Ialltoallw start an exchange
 * and return at once; Rondo_Test, Rondo_Wait, Rondo_Testall or Rondo_Waitall completes it.
 * Arguments and meaning are those of MPI_Ialltoall, MPI_Ialltoallv and MPI_Ialltoallw, MPI_IN_PLACE
 * included: until it is complete, the buffers and the arrays of counts, displacements and types
 * must stay as they are, and what is received must not be read. Datatypes and the communicator may
 * be freed before. All ranks start the exchanges of a communicator in the same order as its other
 * collectives, and complete them in any order. A start is local and never waits, whatever is
 * outstanding.
 *
 * May this hang? With Open MPI only what would hang with MPI's own nonblocking collectives.
 * Whatever has been started goes on in every function of MPI that waits or tests, and in every call
 * of Rondo. With other MPI libraries, and with the standard ABI of MPI 5, it goes on in every call
 * of Rondo that starts, tests or waits, on any communicator. If threads may call MPI at the same
 * time (MPI_THREAD_MULTIPLE), a thread of the process lets it go on as well, whatever the program
 * does, and the answer is that for Open MPI. Without this thread two things may hang, because
 * exchanges do not go on in functions of the MPI library:
 * - A rank waits in a function of MPI for a rank that waits for an exchange of theirs. Complete the
 *   exchange first.
 * - The ranks make starts and forwarded calls in different orders, on different communicators. A
 *   call that Rondo forwards, or whose algorithm calls a collective of MPI (two_phase_bruck and the
 *   padded algorithms, mpi and personalized of sparse exchanges), first completes what this process
 *   has started. Make these calls, and start exchanges, in one order on all ranks.
 * All else goes on beside what is outstanding: other calls, set-up, plans, and new decisions of
 * `auto`. Rondo_Comm_set_algorithm waits for what was started on its communicator, and
 * Rondo_Plan_free for the executions of its plan.
 *
 * Progress. While the process computes, nonblocking exchanges go on only in the thread. With Open MPI
 * there is one if RONDO_PROGRESS=thread is set. This setting needs MPI_THREAD_MULTIPLE on all
 * ranks; otherwise every exchange on the communicator returns MPI_ERR_ARG. Without the thread, test
 * now and then. The thread sleeps while nothing is outstanding. Exchanges that the MPI library
 * carries out go on where the library itself makes progress. Several threads may start and complete
 * exchanges of different communicators (MPI_THREAD_MULTIPLE); each of them lets all go on.
 *
 * Several at a time. A communicator has RONDO_REQUESTS channels (default 4), each with scratch and
 * shared memory of its own, which nonblocking exchanges use in turn. The first exchange in a channel
 * makes this memory, together with the other ranks. In a channel that is free and has its memory,
 * an exchange begins in its start: inside a node it publishes short blocks, between nodes it sends
 * the first messages. In a channel that is not free it begins when those before it are over,
 * wherever exchanges go on, and takes no stack and no scratch memory until then. Under `auto` each
 * channel decides by what was exchanged in it.
 *
 * Stacks. An exchange that has begun runs on a stack of 256 KiB, below which 8 MiB of addresses are
 * reserved. If there is no memory for it, its completion returns MPI_ERR_NO_MEM on this rank, and
 * others may wait for it. Code of the program that MPI calls meanwhile, as that of an MPI_Op or of
 * an attribute, runs on the stack of a thread.
 *
 * Forwarded starts. A start never sets up a communicator, since it must not wait for other ranks:
 * call Rondo_Comm_prepare first, or use another function that makes the state. Before, a start is
 * the MPI library's MPI_Ialltoall, MPI_Ialltoallv or MPI_Ialltoallw. So it is where calls are
 * forwarded because set-up has failed, on an inter-communicator, and if "mpi" is the algorithm that
 * was named. No other start of these functions is forwarded. Where `auto` finds that the library
 * would be the fastest, the ranks send their blocks straight, as spread_out does: an exchange may
 * begin after its start, and collective calls on the program's communicator must keep their order.
 *
 * Algorithms run as in calls, except that the allreduce of some algorithms is made of messages, and
 * that padded_alltoall sends its padded blocks as spread_out does.
 *
 * Errors. A forwarded start returns the library's errors, and so does its completion. All other
 * errors are those of the calls; a rank whose arguments are wrong takes part, as it does in a call,
 * and the error is raised when the exchange is completed. After an error the request is complete,
 * too. In MPI_Finalize what is outstanding is completed if that takes no more than two seconds.
 * Otherwise it is given up, with a warning on stderr. */
typedef struct Rondo_Request_s* Rondo_Request;
#define RONDO_REQUEST_NULL ((Rondo_Request)0)

RONDO_API int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              Rondo_Request* request);

RONDO_API int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                               Rondo_Request* request);

RONDO_API int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf,
                               const int recvcounts[], const int rdispls[],
                               const MPI_Datatype recvtypes[], MPI_Comm comm,
                               Rondo_Request* request);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm, Rondo_Request* request);

RONDO_API int Rondo_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                 MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);

RONDO_API int Rondo_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                 void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                 MPI_Comm comm, Rondo_Request* request);
#endif

/* As MPI_Ineighbor_alltoall, MPI_Ineighbor_alltoallv and MPI_Ineighbor_alltoallw. A start does not read
 * the topology of its communicator, because that may wait for other ranks. So the MPI library carries
 * it out, and matches edges in its own way, until a call of Rondo_Neighbor_alltoall or another has run
 * there without being forwarded. Afterwards it runs what was set for "neighbor_alltoallv", or what that
 * call has chosen, which may be the MPI library's own. */

RONDO_API int Rondo_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, Rondo_Request* request);

RONDO_API int Rondo_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                        const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                        const int recvcounts[], const int rdispls[],
                                        MPI_Datatype recvtype, MPI_Comm comm,
                                        Rondo_Request* request);

RONDO_API int Rondo_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                        const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                        void* recvbuf, const int recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                        MPI_Comm comm, Rondo_Request* request);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         Rondo_Request* request);

RONDO_API int Rondo_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                          void* recvbuf, const MPI_Count recvcounts[],
                                          const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                          MPI_Comm comm, Rondo_Request* request);

RONDO_API int Rondo_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                          void* recvbuf, const MPI_Count recvcounts[],
                                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                          MPI_Comm comm, Rondo_Request* request);
#endif

/* As Rondo_Alltoallv_dynamic and Rondo_Alltoallv_dynamic_alloc, which say what the arguments mean, and what is
 * an error. Each rank may start either of them where others start the other. Until the request is complete,
 * the buffers and the arrays must stay, recvcounts and rdispls are not defined, and *recvbuf of the second
 * function is not set. Datatypes may be freed before.
 *
 * Where it may be started. A start does not set up a communicator, and the MPI library has no such exchange:
 * where Rondo is not set up, all ranks return MPI_ERR_COMM at once, and nothing is started. So call
 * Rondo_Comm_prepare first. Where set-up has failed on a communicator, only the call is left. If "mpi" is the
 * algorithm that was named for "alltoallv", the ranks send their blocks as spread_out does.
 *
 * Completion. What does not fit is MPI_ERR_TRUNCATE on this rank when the request is completed. The elements
 * are then kept for Rondo_Alltoallv_dynamic_take, until another dynamic or sparse exchange on the communicator
 * is called, or is completed after a start. So of several exchanges that are completed together, as by
 * Rondo_Waitall, only those of the last one in the array may be taken. If that one fits, none are kept.
 * `allocate` is called by the function that completes the request, on its thread, after the blocks have arrived
 * in memory of Rondo's own, from which they are copied. It must return memory in the host. No rank waits for it.
 * If it is a null pointer, the elements stay in Rondo's memory as long as those that do not fit. */

RONDO_API int Rondo_Ialltoallv_dynamic(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       int recvcapacity, int recvcounts[], int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm,
                                       Rondo_Request* request);

RONDO_API int Rondo_Ialltoallv_dynamic_alloc(const void* sendbuf, const int sendcounts[],
                                             const int sdispls[], MPI_Datatype sendtype,
                                             Rondo_Allocate_function* allocate, void* extra,
                                             void* recvbuf, int recvcounts[], int rdispls[],
                                             MPI_Datatype recvtype, MPI_Comm comm,
                                             Rondo_Request* request);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Ialltoallv_dynamic_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                         void* recvbuf, MPI_Count recvcapacity,
                                         MPI_Count recvcounts[], MPI_Aint rdispls[],
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         Rondo_Request* request);

RONDO_API int Rondo_Ialltoallv_dynamic_alloc_c(const void* sendbuf, const MPI_Count sendcounts[],
                                               const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                               Rondo_Allocate_function* allocate, void* extra,
                                               void* recvbuf, MPI_Count recvcounts[],
                                               MPI_Aint rdispls[], MPI_Datatype recvtype,
                                               MPI_Comm comm, Rondo_Request* request);
#endif

/* Local. Lets exchanges go on, and sets *flag to 1 if that of *request is complete, else to 0. A complete
 * request is freed and set to RONDO_REQUEST_NULL. RONDO_REQUEST_NULL is complete. */
RONDO_API int Rondo_Test(Rondo_Request* request, int* flag);

/* Waits until the exchange is complete, and frees the request. */
RONDO_API int Rondo_Wait(Rondo_Request* request);

/* The same for `count` requests together. If several exchanges have failed, the first error is raised
 * and the others are lost. Rondo_Testall frees nothing until all are complete. */
RONDO_API int Rondo_Testall(int count, Rondo_Request requests[], int* flag);
RONDO_API int Rondo_Waitall(int count, Rondo_Request requests[]);

/* ---- Which algorithm. The first of these that names one decides: Rondo_Comm_set_algorithm; the
 * info keys "rondo_alltoall", "rondo_alltoallv", "rondo_alltoallw", "rondo_neighbor_alltoallv" and
 * "rondo_sparse_alltoallv" on rank 0, in the info given to Rondo_Comm_prepare or in that of the
 * communicator (from which MPI libraries may drop keys that they do not know); the environment
 * variables RONDO_ALLTOALL, RONDO_ALLTOALLV, RONDO_ALLTOALLW, RONDO_NEIGHBOR_ALLTOALLV and
 * RONDO_SPARSE_ALLTOALLV of rank 0. Otherwise it is "auto".
 *
 * An algorithm is written NAME[:PARAMETER=VALUE]..., as in "two_layer_bruck:intra=4:inter=8". A
 * radix above the number of ranks acts as that number. With one rank an exchange is a local copy,
 * whatever the parameters. */

/* Collective. Makes the state now, so that `auto` forwards no call. `info` may be MPI_INFO_NULL; it
 * is not read if the state has already been made. Does nothing on an inter-communicator. */
RONDO_API int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info);

/* Collective. `collective` is "alltoall", "alltoallv", "alltoallw", "neighbor_alltoallv" or
 * "sparse_alltoallv". `algorithm` is a text as above, "auto", or NULL for auto. Both must be the same
 * on all ranks; otherwise all return MPI_ERR_ARG and nothing changes. Makes the state. Existing plans
 * keep their algorithm. */
RONDO_API int Rondo_Comm_set_algorithm(MPI_Comm comm, const char* collective,
                                       const char* algorithm);

/* Local. Writes what a call of `collective` runs on this communicator, with the values of all
 * parameters, to `text` of `length` chars (truncated to fit, always terminated); "auto" if it
 * depends on the call. MPI_ERR_ARG before the state is made. */
RONDO_API int Rondo_Comm_get_algorithm(MPI_Comm comm, const char* collective, char* text,
                                       int length);

/* Local. Writes in the same form what the last exchange on this communicator ran, other than a plan's;
 * "mpi" if it was forwarded to the MPI library. A nonblocking exchange counts once it has begun; until then
 * the text is "mpi". MPI_ERR_ARG before the state is made. */
RONDO_API int Rondo_Comm_get_last_algorithm(MPI_Comm comm, char* text, int length);

/* ---- Plans: the same exchange many times. A plan binds an algorithm, counts, displacements and
 * types, which are copied: the arguments may then be freed or changed. The first execution learns
 * the other ranks' sizes, so that later executions send data only. `info` may be MPI_INFO_NULL or
 * hold one of the info keys above.
 *
 * Learning. A plan for which no algorithm is named learns from its executions that are not started,
 * as calls do, unless RONDO_LEARN=0. Its first 16 executions run what `auto` runs. Then it times
 * some of them, in pairs: one by the algorithm that runs, and one by another of up to six, among them
 * the MPI library's own call. If another one is faster by more than 3 % in enough pairs, the plan
 * runs it from then on, on all ranks from the same execution on. Every execution is a complete
 * exchange, whatever its algorithm. Trying costs at most about 1 % of many executions. What runs
 * reports errors as that algorithm does. Where something is tried that would report the error of a
 * rank on that rank only, while what runs reports it on all ranks, the execution begins with a
 * reduction of a few bytes, so that all ranks return the error then, too.
 *
 * Measuring. The info key "rondo_measure" of rank 0 is "1" or "true" to measure, "0" or "false" or
 * unset not to; any other value is MPI_ERR_ARG on all ranks. A plan that measures learns even with
 * RONDO_LEARN=0, and from its first execution on. It tries everything at once, as if 16,000
 * executions had been made before, so do not measure for fewer than a few hundred. If an algorithm
 * is named, or on an inter-communicator, nothing is measured. With RONDO_VERBOSE=1 rank 0 prints on
 * stderr what a plan has learned. */
typedef struct Rondo_Plan_s* Rondo_Plan;
#define RONDO_PLAN_NULL ((Rondo_Plan)0)

/* Collective. All ranks return the same error or success. */
RONDO_API int Rondo_Alltoall_plan(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Alltoallv_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Alltoallw_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf,
                                   const int recvcounts[], const int rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                   Rondo_Plan* plan);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Alltoall_plan_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Alltoallv_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                     Rondo_Plan* plan);

RONDO_API int Rondo_Alltoallw_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const MPI_Count recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);
#endif

/* Plans of neighbourhood exchanges. Collective. If such a plan has found the MPI library's own call to be
 * the fastest and its communicator is freed, it runs spread_out from then on, because only that
 * communicator has the topology. */
RONDO_API int Rondo_Neighbor_alltoall_plan(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                           Rondo_Plan* plan);

RONDO_API int Rondo_Neighbor_alltoallv_plan(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            void* recvbuf, const int recvcounts[],
                                            const int rdispls[], MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Neighbor_alltoallw_plan(const void* sendbuf, const int sendcounts[],
                                            const MPI_Aint sdispls[],
                                            const MPI_Datatype sendtypes[], void* recvbuf,
                                            const int recvcounts[], const MPI_Aint rdispls[],
                                            const MPI_Datatype recvtypes[], MPI_Comm comm,
                                            MPI_Info info, Rondo_Plan* plan);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Neighbor_alltoall_plan_c(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             MPI_Count recvcount, MPI_Datatype recvtype,
                                             MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Neighbor_alltoallv_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                              void* recvbuf, const MPI_Count recvcounts[],
                                              const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

RONDO_API int Rondo_Neighbor_alltoallw_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[],
                                              const MPI_Datatype sendtypes[], void* recvbuf,
                                              const MPI_Count recvcounts[],
                                              const MPI_Aint rdispls[],
                                              const MPI_Datatype recvtypes[], MPI_Comm comm,
                                              MPI_Info info, Rondo_Plan* plan);
#endif

/* A plan of a sparse exchange. Collective, on intra-communicators. The arguments are those of
 * Rondo_Sparse_alltoallv without the buffers. Making the plan finds out who sends to whom, and how much;
 * executing it moves the blocks, and finds out nothing.
 *
 * `sources` says from which ranks blocks come, and where each lies in the receive buffer: one after another in the
 * order of the ranks. The end of the last one is the size of the buffer, in elements of recvtype. The
 * arrays are the plan's, and are valid until it is freed. With no source, recvbuf of an execution may be a null
 * pointer, and so may sendbuf if this rank sends nothing. A block of 0 elements is not part of the plan.
 *
 * Algorithms. The lengths travel by what is chosen for "sparse_alltoallv". The plan is one of an exchange along
 * edges, and runs what is chosen for "neighbor_alltoallv": Rondo_Plan_get_algorithm says what. The MPI
 * library has no such call, so spread_out takes the place of "mpi". Only where set-up has failed it
 * carries out an alltoallv. Making the plan is a sparse exchange: what Rondo has kept, and the arrays of
 * earlier calls of Rondo_Sparse_alltoallv, are no longer valid.
 *
 * Errors. All ranks return the same error or success. If set-up has failed, blocks whose length is not a
 * multiple of recvtype's size are an error on the ranks to which they come alone. Afterwards the errors are
 * those of plans of neighbourhoods. Once MPI_Finalize has begun, an execution returns MPI_ERR_OTHER. */
RONDO_API int Rondo_Sparse_alltoallv_plan(int ndestinations, const int destinations[],
                                          const int sendcounts[], const int sdispls[],
                                          MPI_Datatype sendtype, MPI_Datatype recvtype,
                                          Rondo_Sources* sources, MPI_Comm comm, MPI_Info info,
                                          Rondo_Plan* plan);

#if MPI_VERSION >= 4
/* The same with counts past 2^31-1. */
RONDO_API int Rondo_Sparse_alltoallv_plan_c(int ndestinations, const int destinations[],
                                            const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                            MPI_Datatype sendtype, MPI_Datatype recvtype,
                                            Rondo_Sources_c* sources, MPI_Comm comm, MPI_Info info,
                                            Rondo_Plan* plan);
#endif

/* Collective over the plan's communicator, which may have been freed in the meantime. The buffers
 * may differ from call to call. A plan made with MPI_IN_PLACE must be executed with MPI_IN_PLACE,
 * and any other plan without it (else MPI_ERR_BUFFER). */
RONDO_API int Rondo_Execute(Rondo_Plan plan, const void* sendbuf, void* recvbuf);

/* As Rondo_Execute, but only starts the execution: see "Nonblocking exchanges". A plan may be started again
 * while earlier executions are outstanding. It learns sizes in each channel by itself. Started
 * executions are not timed, and run what the executions before have shown to be the fastest. If that
 * is the MPI library's own call, the ranks send their blocks straight, as spread_out does, unless "mpi"
 * was named: then the start is the library's. Freeing a plan completes its executions. */
RONDO_API int Rondo_Start(Rondo_Plan plan, const void* sendbuf, void* recvbuf,
                          Rondo_Request* request);

/* Local. Writes what the plan runs, with the values of all parameters, to `text` of `length` chars
 * (truncated to fit, always terminated), as in "fused_bruck:radix=4:ports=3:threshold=8192"; "mpi"
 * if it is forwarded to the MPI library. Of a plan that learns this is what is the fastest so far; a
 * few executions try others. */
RONDO_API int Rondo_Plan_get_algorithm(Rondo_Plan plan, char* text, int length);

/* Collective. Must be called before MPI_Finalize. Sets *plan to RONDO_PLAN_NULL. Freeing
 * RONDO_PLAN_NULL does nothing. */
RONDO_API int Rondo_Plan_free(Rondo_Plan* plan);

/* ---- Queries. They are local and may be called before MPI_Init. Their errors (MPI_ERR_ARG) are
 * returned and not raised. */

/* One algorithm of the registry. The texts live as long as the library. */
typedef struct {
  /* "alltoall", "alltoallv" (which serves alltoallw too), "neighbor_alltoallv" (which serves all
   * neighbourhood exchanges) or "sparse_alltoallv". */
  const char* collective;
  const char* name;
  const char* parameters; /* "intra inter ports", empty if none */
  const char* idea;
  const char* source;
  const char* cost;
} Rondo_Algorithm;

/* Returns how many rows the registry has. */
RONDO_API int Rondo_Algorithm_count(void);

/* Fills in row `index` of the registry. MPI_ERR_ARG unless it is in 0 .. Rondo_Algorithm_count() -
 * 1. */
RONDO_API int Rondo_Algorithm_get(int index, Rondo_Algorithm* algorithm);

/* The version of the library, which may be newer than that of this header. */
RONDO_API int Rondo_Get_version(int* major, int* minor, int* patch);

/* Returns the text of this thread's last error, or "" if there was none. It is valid until this
 * thread's next error. */
RONDO_API const char* Rondo_Get_last_error(void);

/* Local. After flag = 1, errors of this thread's calls of Rondo are only returned, whatever the
 * error handlers. This is for interfaces that report errors in their own way. After flag = 0, as
 * initially, errors are also raised. With flag = 1 the communicator's error handler is
 * MPI_ERRORS_RETURN while a call or a start is forwarded to the MPI library. So it is while an exchange
 * whose start was forwarded with flag = 1 is tested or waited for, unless the communicator has been
 * freed. Returns the previous flag. */
RONDO_API int Rondo_Errors_return(int flag);

#ifdef __cplusplus
}
#endif

#endif
