/* Rondo: all-to-all exchanges in rounds. The C interface.
 *
 * Functions return MPI_SUCCESS or an MPI error class. Like MPI's own errors, an error is also raised through
 * the communicator's error handler, unless Rondo_Errors_return says otherwise. Before a fatal handler ends the
 * program, the text of the error is printed on stderr. Rondo_Get_last_error returns the text of the calling
 * thread's last error.
 *
 * Who may call. Unless stated otherwise, functions may be called only between MPI_Init and MPI_Finalize, by
 * any thread that may call MPI. All ranks of the communicator must make calls marked collective, in the same
 * order as its other collectives. Calls marked local do not wait for other ranks.
 *
 * Exchanges after MPI_Finalize has begun, from delete callbacks of MPI_COMM_SELF or in a session, are forwarded
 * to the MPI library, and so is the execution of a plan while its communicator exists. An exchange in a session
 * must, on all ranks, end before MPI_Finalize begins or begin after MPI_Finalize has ended.
 *
 * Large counts. A function whose name ends in _c is the function without _c for counts past 2^31-1: its counts
 * are MPI_Count and its displacements MPI_Aint. These functions exist if MPI_VERSION is at least 4.
 *
 * Errors on other ranks. The arguments of MPI are local: those of one rank may be wrong while the others' are
 * right. What the other ranks return then depends on the algorithm.
 *
 * With node_aware and fused_bruck, a rank with wrong arguments, or with data that it cannot pack, still takes
 * part, and all ranks return the error. If two ranks disagree on the length of a block, the rank that receives
 * it returns MPI_ERR_TRUNCATE; where any rank of its node exchanges a long block with another rank of that
 * node, all ranks of the node do. Other ranks may return success. Every length is compared. No rank waits for
 * ever, nothing is written outside the blocks, and later exchanges are right. There are two exceptions: blocks
 * of more than 1 MiB in place, and Rondo_Alltoall under `auto`, which chooses by the length, so that a rank all
 * of whose counts or types are wrong returns alone.
 *
 * `auto` runs these two algorithms, except with a few ranks on several nodes (RONDO_VERBOSE=1 shows it) and in
 * calls that the MPI library carries out. Those are the first ones, those in which `auto` tries the library, and
 * all if the library is the fastest (with RONDO_LEARN=0 only where a profile says so).
 *
 * Elsewhere all this is guaranteed only with RONDO_CHECK=1. Without it the other ranks may wait for ever, or take
 * that rank's next exchange for this one, as they may in MPI. If a block is longer than its receiver expects, and
 * neither length is 0, the receiver returns MPI_ERR_TRUNCATE, or all ranks do, and later exchanges are right.
 * But Open MPI 4.1 writes what does not fit behind a long block inside a node, and MPICH raises the error on
 * MPI_COMM_WORLD.
 *
 * A rank that runs out of memory, or whose MPI call fails, leaves the exchange, and others may wait for it.
 * Except after the first call on a communicator, later exchanges there, and nonblocking ones that have not
 * begun, then return MPI_ERR_OTHER on that rank. Its private communicator is never freed, since messages may
 * still be in flight.
 *
 * State. In the first call on a communicator the ranks take rank 0's settings (the environment variables in
 * docs/tuning.md). Unless an algorithm is named, `auto` forwards the first calls to the MPI
 * library, so that a communicator that lives for a few calls does not pay for set-up. It forwards at least 32
 * calls, and goes on until set-up would have saved as much time on them as it takes. The ranks compare the two
 * after 32, 64, 128, ... calls. If RONDO_FORWARD_CALLS is set, `auto` forwards that many calls instead.
 *
 * Then, or at Rondo_Comm_prepare, the state is made: one private communicator, the map of nodes, scratch memory
 * and, with the first algorithm that uses it, the shared memory of the node. The size of the shared memory
 * depends on RONDO_SLOT_BYTES and the numbers of ranks, and all communicators of a rank together stay within
 * RONDO_MEMORY. A process has the state of at most 256 communicators at a time, since MPI libraries run out of
 * communicators. Beyond that, or if set-up fails on any rank, for lack of memory too, the exchanges on a
 * communicator are forwarded to the MPI library, and one rank warns, once in the process. The state is freed
 * with the communicator, at the latest in MPI_Finalize. Scratch memory grows to what the largest call needed, or
 * by half if that is more, and is then kept: a call that moves no more bytes in any round allocates nothing.
 *
 * Shared memory is a memfd, so a killed job leaves nothing behind. If processes cannot reach each
 * other's descriptors, it is a shm_open object, which is unlinked as soon as all ranks have it
 * open. If any rank cannot have shared memory, all ranks of the communicator use messages instead,
 * and rank 0 prints each reason once on stderr. While a rank waits for its node, MPI makes
 * progress.
 *
 * Inside a node a block of more than 4 KiB, or than the algorithm's threshold, takes one of two ways: through
 * shared memory in pieces, or its receiver copies it once, straight from the memory of its sender
 * (process_vm_readv). A call takes the way that has taken less time, and a nonblocking exchange always the
 * second. With RONDO_SINGLE_COPY=0 a rank never reads another's memory, and with RONDO_SINGLE_COPY=2 always.
 * Reading is possible if the system lets all ranks of the communicator read the memory of their neighbours,
 * which they try when the shared memory is made. Containers, Yama (kernel.yama.ptrace_scope, which Rondo does
 * not lift but some MPI libraries do), seccomp filters, and processes that are not dumpable can forbid it.
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

#ifndef RONDO_API
#define RONDO_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Exchanges. Every rank sends a block to every rank, itself included. Arguments and meaning are exactly
 * those of MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw: any datatypes, MPI_IN_PLACE as sendbuf, MPI_BOTTOM,
 * zero counts. On an inter-communicator these calls are forwarded to the MPI library.
 *
 * Errors. MPI_ERR_COUNT (negative or too large), MPI_ERR_BUFFER (null with bytes to move), MPI_ERR_TYPE,
 * MPI_ERR_COMM, MPI_ERR_TRUNCATE (a rank sends more or less than this rank expects, if that is detected),
 * MPI_ERR_NO_MEM, or what MPI returned.
 *
 * Parameters:
 *   sendbuf     the blocks that this rank sends. MPI_IN_PLACE on all ranks if they are in recvbuf, where the
 *               blocks that arrive replace them; the other arguments of the sending side are then ignored
 *   sendcount   elements in each block that is sent. The block to rank q begins at element q * sendcount
 *   sendcounts  P numbers: elements in the block to each rank
 *   sdispls     P numbers: where the block to each rank begins in sendbuf, in elements
 *   sendtype    the datatype of the elements that are sent
 *   sendtypes   P datatypes: that of the elements to each rank
 *   recvbuf     where the blocks are received. Must not overlap sendbuf
 *   recvcount   elements in each block that is received. The block from rank p begins at element p * recvcount
 *   recvcounts  P numbers: elements in the block from each rank
 *   rdispls     P numbers: where the block from each rank goes in recvbuf, in elements
 *   recvtype    the datatype of the elements that are received
 *   recvtypes   P datatypes: that of the elements from each rank
 *   comm        the communicator, of P ranks; of an inter-communicator P is the size of the remote group */

/* Collective. Exchanges blocks of one length, the same between all ranks, as MPI_Alltoall does. */
RONDO_API int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Collective. Exchanges blocks that may each have another length and another place, as MPI_Alltoallv does. */
RONDO_API int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);

/* Collective. Exchanges blocks that may each have another length, place and datatype, as MPI_Alltoallw does.
 *
 * Parameters:
 *   sdispls  P numbers: where the block to each rank begins in sendbuf, in bytes
 *   rdispls  P numbers: where the block from each rank goes in recvbuf, in bytes */
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

/* ---- Dynamic exchanges. A dynamic exchange is an alltoallv for ranks that do not know how much they receive. One
 * call takes the place of an alltoall of counts and an alltoallv, on intra-communicators.
 *
 * The sending side is that of MPI_Alltoallv, without MPI_IN_PLACE. What arrives lies in one piece, one block
 * after another in the order of the ranks, so rdispls[P-1] + recvcounts[P-1] is the total.
 * Rondo_Alltoallv_dynamic receives in a buffer of the program, and Rondo_Alltoallv_dynamic_alloc in memory that
 * the program provides once the total is known. Each rank may call either of them.
 *
 * Algorithms. These calls run what is chosen for "alltoallv". fused_bruck and node_aware carry the lengths along
 * with the blocks. With any other algorithm the lengths are sent first, by the algorithm of an alltoall of one
 * 8-byte integer. A forwarded call is the MPI library's alltoall and then its alltoallv. What Rondo keeps is copied
 * once more when it is taken.
 *
 * Errors. As those of Rondo_Alltoallv, but a rank's wrong arguments are reported on all ranks whatever the
 * algorithm, without RONDO_CHECK=1. A rank that receives what is not a multiple of recvtype's size
 * (MPI_ERR_TRUNCATE), or more than recvcounts and rdispls can count (MPI_ERR_COUNT), returns this error alone, and
 * these blocks are lost. In a forwarded call it then leaves the exchange, and others may wait for it. Once
 * MPI_Finalize has begun, these calls return MPI_ERR_OTHER.
 *
 * Parameters:
 *   sendbuf       the blocks that this rank sends. MPI_IN_PLACE is not allowed
 *   sendcounts    P numbers: elements in the block to each rank
 *   sdispls       P numbers: where the block to each rank begins in sendbuf, in elements
 *   sendtype      the datatype of the elements that are sent
 *   recvbuf       where the elements are received
 *   recvcapacity  how many elements of recvtype fit in recvbuf
 *   allocate      the function that returns memory for the elements, or a null pointer
 *   extra         what `allocate` gets as its second argument
 *   recvcounts    P numbers, written by the call: elements that have come from each rank
 *   rdispls       P numbers, written by the call: where the block from each rank begins, in elements
 *   recvtype      the datatype of the elements that are received
 *   comm          the communicator, of P ranks */

/* Collective. Exchanges blocks whose lengths their receivers do not know, and receives in recvbuf. If more elements
 * arrive than it has room for, the call returns MPI_ERR_TRUNCATE on this rank, with a text that says how many; the
 * other ranks return success. Nothing is lost: recvcounts and rdispls are right, and Rondo keeps the elements for
 * Rondo_Alltoallv_dynamic_take until the next dynamic exchange on the communicator. */
RONDO_API int Rondo_Alltoallv_dynamic(const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                      int recvcapacity, int recvcounts[], int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm comm);

/* What a program gives as `allocate`: returns memory for `count` elements, or a null pointer if there is none.
 * `extra` is that of the call. */
typedef void* Rondo_Allocate_function(MPI_Count count, void* extra);

/* Collective. Exchanges blocks whose lengths their receivers do not know, and receives in memory that `allocate`
 * returns. allocate(total, extra) is called once, on the calling thread, with the total number of elements, if no
 * rank has failed. It must not call MPI or Rondo, and other ranks may be waiting for it. If it returns a null
 * pointer for more than 0 elements, the call returns MPI_ERR_NO_MEM on this rank, and Rondo keeps the elements for
 * Rondo_Alltoallv_dynamic_take.
 *
 * If `allocate` is itself a null pointer, the elements are received in Rondo's own memory in the host. They may be
 * read and changed there until the next dynamic exchange on the communicator, or until it is freed.
 *
 * Parameters:
 *   recvbuf  the address of a pointer, which is set to the place of the elements (null for 0 elements in Rondo's
 *            memory). May be null if there is an `allocate` */
RONDO_API int Rondo_Alltoallv_dynamic_alloc(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            Rondo_Allocate_function* allocate, void* extra,
                                            void* recvbuf, int recvcounts[], int rdispls[],
                                            MPI_Datatype recvtype, MPI_Comm comm);

/* Local. Copies what Rondo keeps of this rank's last dynamic or sparse exchange on the communicator. Errors:
 * MPI_ERR_TRUNCATE if the room is still too small, MPI_ERR_TYPE if recvtype has another size, extent or true extent
 * than that of the exchange, MPI_ERR_ARG if nothing is kept.
 *
 * Parameters:
 *   recvbuf   where the elements are copied to, in host memory
 *   recvtype  the recvtype of the exchange */
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

/* ---- Sparse exchanges. A sparse exchange is a dynamic exchange in which each rank names only the ranks to which
 * it sends, and learns who has sent to it. No argument has an entry for every rank. The communicator must be an
 * intra-communicator.
 *
 * The destinations are in any order. The rank itself may be among them, and none may be named twice
 * (MPI_ERR_ARG). A block of 0 elements is not sent, and its receiver does not learn of it. With 0 destinations the
 * three arrays may be null pointers.
 *
 * The blocks that arrive lie one after another in the order of the ranks from which they come.
 * Rondo_Sparse_alltoallv receives in a buffer of the program, and Rondo_Sparse_alltoallv_alloc in memory that the
 * program provides once the total is known. Each rank may call either of them. Rondo keeps what does not fit for
 * Rondo_Alltoallv_dynamic_take, until the next dynamic or sparse exchange on the communicator. `sources` is right
 * then, too.
 *
 * Algorithms. These calls run what is chosen for "sparse_alltoallv". `auto` runs node_aware if ranks share a node's
 * memory; on several nodes only with more than 8 and at most 1024 ranks, or with more than 16 if nodes have 2
 * ranks. Otherwise it runs fused_bruck with up to 32 ranks, and `nbx` with more. A forwarded call is the MPI
 * library's alltoall of lengths and then its alltoallv.
 *
 * Errors. As those of dynamic exchanges: a rank's wrong arguments are reported on all ranks, whatever the
 * algorithm, and later exchanges are right.
 *
 * Parameters:
 *   sendbuf        the blocks that this rank sends. MPI_IN_PLACE is not allowed
 *   ndestinations  how many blocks this rank sends
 *   destinations   `ndestinations` ranks: where each block goes
 *   sendcounts     `ndestinations` numbers: elements in each block
 *   sdispls        `ndestinations` numbers: where each block begins in sendbuf, in elements
 *   sendtype       the datatype of the elements that are sent
 *   recvbuf        where the elements are received
 *   recvcapacity   how many elements of recvtype fit in recvbuf
 *   allocate       the function that returns memory for the elements, or a null pointer
 *   extra          what `allocate` gets as its second argument
 *   recvtype       the datatype of the elements that are received
 *   sources        written by the call: the ranks from which blocks have come, and where each block is
 *   comm           the communicator */

/* The ranks from which blocks have come, in ascending order, and where each block is. The arrays are
 * Rondo's, and are valid until the next sparse exchange on the communicator, or until it is freed. */
typedef struct {
  int count;         /* how many ranks have sent a block to this rank */
  const int* ranks;  /* which */
  const int* counts; /* how many elements of recvtype the block has */
  const int* displs; /* where it begins, in elements */
} Rondo_Sources;

/* The same as Rondo_Sources, for functions with large counts. */
typedef struct {
  int count;
  const int* ranks;
  const MPI_Count* counts;
  const MPI_Aint* displs;
} Rondo_Sources_c;

/* Collective. Sends blocks to the ranks that it names, and receives in recvbuf. If more elements arrive than it has
 * room for, the call returns MPI_ERR_TRUNCATE on this rank, as Rondo_Alltoallv_dynamic does. */
RONDO_API int Rondo_Sparse_alltoallv(const void* sendbuf, int ndestinations,
                                     const int destinations[], const int sendcounts[],
                                     const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     int recvcapacity, MPI_Datatype recvtype,
                                     Rondo_Sources* sources, MPI_Comm comm);

/* Collective. Sends blocks to the ranks that it names, and receives in memory that `allocate` returns or, if that
 * is a null pointer, in Rondo's own, as Rondo_Alltoallv_dynamic_alloc does.
 *
 * Parameters:
 *   recvbuf  the address of a pointer, which is set to the place of the elements (null for 0 elements in Rondo's
 *            memory). May be null if there is an `allocate` */
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

/* ---- Neighbourhood exchanges. A rank exchanges only with those ranks to which it has an edge in the
 * communicator's topology, as made by MPI_Cart_create, MPI_Graph_create, MPI_Dist_graph_create or
 * MPI_Dist_graph_create_adjacent. Ranks without edges call these functions, too. Arguments and meaning are those of
 * MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw, with a block for every edge. On a
 * communicator without a topology, as on an inter-communicator, they return MPI_ERR_TOPOLOGY.
 *
 * Which edges match. Several edges from one rank to another match in the order in which the two ranks
 * have them, and act as one block. On a Cartesian topology what a rank sends to its neighbour in the
 * negative direction of a dimension arrives there as coming from the neighbour in the positive
 * direction, as MPI 4.0 says, even if one rank is both. Some MPI libraries differ in periodic dimensions
 * of one or two ranks, and MPICH 4.0 differs where there are several edges from one rank to another. On such a
 * topology Rondo is set up at the first call and forwards nothing.
 *
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
 * ranks of its node and by all ranks to which a rank of its node has an edge. If two ranks disagree on the
 * length of their block, the rank that receives it returns MPI_ERR_TRUNCATE, and inside a node where any rank
 * has a long block all ranks of the node do. Other ranks may return success. No rank waits for ever, nothing is
 * written outside the blocks, and later exchanges are right. With RONDO_CHECK=1, and when a plan is made, all
 * ranks return any of these errors, whatever the algorithm.
 *
 * Parameters:
 *   sendbuf     the blocks that this rank sends. MPI_IN_PLACE is MPI_ERR_BUFFER
 *   sendcount   elements in each block that is sent. The i-th block begins at element i * sendcount
 *   sendcounts  a number for every edge from this rank: elements in the block
 *   sdispls     a number for every edge from this rank: where the block begins in sendbuf, in elements
 *   sendtype    the datatype of the elements that are sent
 *   sendtypes   a datatype for every edge from this rank
 *   recvbuf     where the blocks are received. Must not overlap sendbuf
 *   recvcount   elements in each block that is received. The i-th block goes to element i * recvcount
 *   recvcounts  a number for every edge to this rank: elements in the block
 *   rdispls     a number for every edge to this rank: where the block goes in recvbuf, in elements
 *   recvtype    the datatype of the elements that are received
 *   recvtypes   a datatype for every edge to this rank
 *   comm        the communicator, which has the topology. Its edges are in the order that MPI gives them */

/* Collective. Exchanges blocks of one length along the edges, as MPI_Neighbor_alltoall does. */
RONDO_API int Rondo_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm);

/* Collective. Exchanges blocks along the edges that may each have another length and another place, as
 * MPI_Neighbor_alltoallv does. */
RONDO_API int Rondo_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm);

/* Collective. Exchanges blocks along the edges that may each have another length, place and datatype, as
 * MPI_Neighbor_alltoallw does.
 *
 * Parameters:
 *   sdispls  a number for every edge from this rank: where the block begins in sendbuf, in bytes
 *   rdispls  a number for every edge to this rank: where the block goes in recvbuf, in bytes */
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

/* ---- Nonblocking exchanges. A start returns at once, with a request. Rondo_Test, Rondo_Wait, Rondo_Testall or
 * Rondo_Waitall completes the exchange. Until then the buffers and the arrays of counts, displacements and types
 * must stay as they are, and what is received must not be read. Datatypes and the communicator may be freed before.
 *
 * Starts are collective, but a start never waits, whatever is outstanding. All ranks start the exchanges of a
 * communicator in the same order as its other collectives, and complete them in any order.
 *
 * May this hang? With Open MPI only what would hang with MPI's own nonblocking collectives.
 * Whatever has been started goes on in every function of MPI that waits or tests, and in every call
 * of Rondo. With other MPI libraries, and with the standard ABI of MPI 5, it goes on in every call
 * of Rondo that starts, tests or waits, on any communicator. If threads may call MPI at the same
 * time (MPI_THREAD_MULTIPLE), a thread of the process lets it go on as well, whatever the program
 * does, and the answer is the same as for Open MPI. Without this thread exchanges do not go on in functions
 * of the MPI library, and two things may hang:
 * - A rank waits in a function of MPI for a rank that waits for an exchange of theirs. Complete the
 *   exchange first.
 * - The ranks make starts and forwarded calls in different orders, on different communicators. A
 *   call that Rondo forwards, or whose algorithm calls a collective of MPI (two_phase_bruck and the
 *   padded algorithms, `mpi` and `personalized` of sparse exchanges), first completes what this process
 *   has started. Make these calls, and start exchanges, in one order on all ranks.
 *
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
 * Stacks. An exchange that has begun runs on a stack of 256 KiB, below which 8 MiB of addresses are reserved. If
 * there is no memory for it, its completion returns MPI_ERR_NO_MEM on this rank, and others may wait for it. Code
 * of the program that MPI calls meanwhile, such as an MPI_Op or the callback of an attribute, runs on the stack of
 * a thread.
 *
 * Forwarded starts. A start never sets up a communicator, since it must not wait for other ranks: call
 * Rondo_Comm_prepare first, or use another function that makes the state. Until then a start is the MPI library's
 * MPI_Ialltoall, MPI_Ialltoallv or MPI_Ialltoallw. The same is true where calls are forwarded because set-up has
 * failed, on an inter-communicator, and if "mpi" is the algorithm that was named. No other start of these functions
 * is forwarded. Where `auto` finds that the library would be the fastest, the ranks send their blocks straight, as
 * spread_out does: an exchange may begin after its start, and collective calls on the program's communicator must
 * keep their order.
 *
 * Algorithms run as in calls, except that the allreduce of some algorithms is made of messages, and
 * that padded_alltoall sends its padded blocks as spread_out does.
 *
 * Errors. A forwarded start returns the library's errors, and so does its completion. All other
 * errors are those of the calls; a rank whose arguments are wrong takes part, as it does in a call,
 * and the error is raised when the exchange is completed. After an error the request is complete,
 * too. In MPI_Finalize what is outstanding is completed if that takes no more than two seconds.
 * Otherwise it is given up, with a warning on stderr.
 *
 * Parameters:
 *   request  written by the start: the exchange that it has started */

/* An exchange that has been started. RONDO_REQUEST_NULL stands for none, and is complete. */
typedef struct Rondo_Request_s* Rondo_Request;
#define RONDO_REQUEST_NULL ((Rondo_Request)0)

/* Collective. Starts the exchange of Rondo_Alltoall, as MPI_Ialltoall does. */
RONDO_API int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              Rondo_Request* request);

/* Collective. Starts the exchange of Rondo_Alltoallv, as MPI_Ialltoallv does. */
RONDO_API int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                               Rondo_Request* request);

/* Collective. Starts the exchange of Rondo_Alltoallw, as MPI_Ialltoallw does. */
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

/* -- Nonblocking neighbourhood exchanges. A start does not read the topology of its communicator, because that may
 * wait for other ranks. So the MPI library carries the exchange out, and matches edges in its own way, until a call
 * of Rondo_Neighbor_alltoall or another has run on the communicator without being forwarded. Afterwards a start
 * runs what was set for "neighbor_alltoallv", or what that call has chosen, which may be the MPI library's own. */

/* Collective. Starts the exchange of Rondo_Neighbor_alltoall, as MPI_Ineighbor_alltoall does. */
RONDO_API int Rondo_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, Rondo_Request* request);

/* Collective. Starts the exchange of Rondo_Neighbor_alltoallv, as MPI_Ineighbor_alltoallv does. */
RONDO_API int Rondo_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                        const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                        const int recvcounts[], const int rdispls[],
                                        MPI_Datatype recvtype, MPI_Comm comm,
                                        Rondo_Request* request);

/* Collective. Starts the exchange of Rondo_Neighbor_alltoallw, as MPI_Ineighbor_alltoallw does. */
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

/* -- Nonblocking dynamic exchanges. Some ranks may start Rondo_Ialltoallv_dynamic where others start
 * Rondo_Ialltoallv_dynamic_alloc.
 *
 * Set-up. A start does not set up a communicator, and the MPI library has no such exchange:
 * where Rondo is not set up, all ranks return MPI_ERR_COMM at once, and nothing is started. So call
 * Rondo_Comm_prepare first. Where set-up has failed on a communicator, only the calls are left. If "mpi" is the
 * algorithm that was named for "alltoallv", the ranks send their blocks as spread_out does.
 *
 * Completion. What does not fit is MPI_ERR_TRUNCATE on this rank when the request is completed. The elements
 * are then kept for Rondo_Alltoallv_dynamic_take, until another dynamic or sparse exchange on the communicator
 * is called, or is completed after a start. So of several exchanges that are completed together, as by
 * Rondo_Waitall, only those of the last one in the array may be taken. If that one fits, none are kept.
 *
 * Parameters:
 *   recvcounts  P numbers, defined once the request is complete: elements that have come from each rank
 *   rdispls     P numbers, defined once the request is complete: where the block from each rank begins, in
 *               elements
 *   request     written by the start: the exchange that it has started */

/* Collective. Starts the exchange of Rondo_Alltoallv_dynamic. */
RONDO_API int Rondo_Ialltoallv_dynamic(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       int recvcapacity, int recvcounts[], int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm,
                                       Rondo_Request* request);

/* Collective. Starts the exchange of Rondo_Alltoallv_dynamic_alloc. The function that completes the request calls
 * `allocate`, on its thread, after the blocks have arrived in memory of Rondo's own, from which they are copied.
 * `allocate` must return memory in the host, and no rank waits for it. If it is a null pointer, the elements stay
 * in Rondo's memory as long as those that do not fit.
 *
 * Parameters:
 *   recvbuf  the address of a pointer, which is set to the place of the elements when the request is completed */
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

/* -- Completion. These functions let all exchanges go on. They free a complete request and set it to
 * RONDO_REQUEST_NULL. They are not collective: each rank completes its requests in an order of its own.
 *
 * Parameters:
 *   request   the request that a start has written
 *   count     the number of requests
 *   requests  `count` requests
 *   flag      written by the call: 1 if all that was asked for is complete, else 0 */

/* Local. Says whether an exchange is complete. */
RONDO_API int Rondo_Test(Rondo_Request* request, int* flag);

/* Waits until an exchange is complete. It completes only if the other ranks have started it, too. */
RONDO_API int Rondo_Wait(Rondo_Request* request);

/* Local. Says whether several exchanges are complete. It frees nothing until all of them are. If several have
 * failed, the first error is raised and the others are lost. */
RONDO_API int Rondo_Testall(int count, Rondo_Request requests[], int* flag);

/* Waits until several exchanges are complete. If several have failed, the first error is raised and the others are
 * lost. */
RONDO_API int Rondo_Waitall(int count, Rondo_Request requests[]);

/* ---- Choosing an algorithm. The first of these that names one decides:
 *
 * - Rondo_Comm_set_algorithm;
 * - the info keys "rondo_alltoall", "rondo_alltoallv", "rondo_alltoallw", "rondo_neighbor_alltoallv" and
 *   "rondo_sparse_alltoallv" on rank 0, in the info given to Rondo_Comm_prepare or in that of the communicator (from
 *   which MPI libraries may drop keys that they do not know);
 * - the environment variables RONDO_ALLTOALL, RONDO_ALLTOALLV, RONDO_ALLTOALLW, RONDO_NEIGHBOR_ALLTOALLV and
 *   RONDO_SPARSE_ALLTOALLV of rank 0.
 *
 * Otherwise it is "auto".
 *
 * An algorithm is written NAME[:PARAMETER=VALUE]..., as in "two_layer_bruck:intra=4:inter=8". A
 * radix above the number of ranks acts as that number. With one rank an exchange is a local copy,
 * whatever the parameters.
 *
 * Parameters:
 *   comm        the communicator
 *   info        settings by key, as above; may be MPI_INFO_NULL. It is not read if the state has already been made
 *   collective  "alltoall", "alltoallv", "alltoallw", "neighbor_alltoallv" or "sparse_alltoallv"
 *   algorithm   an algorithm as above, or "auto"; NULL is "auto", too
 *   text        where the algorithm is written, with the values of all its parameters. It is truncated to fit and
 *               always terminated
 *   length      how many chars `text` has room for */

/* Collective. Makes the state now, so that `auto` forwards no call. Does nothing on an inter-communicator. */
RONDO_API int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info);

/* Collective. Sets the algorithm that a collective runs on this communicator. The collective and the algorithm must
 * be the same on all ranks; otherwise all return MPI_ERR_ARG and nothing changes. Makes the state, and waits for
 * the exchanges that have been started on the communicator. Existing plans keep their algorithm. */
RONDO_API int Rondo_Comm_set_algorithm(MPI_Comm comm, const char* collective,
                                       const char* algorithm);

/* Local. Says what a call of a collective runs on this communicator; "auto" if that depends on the call.
 * MPI_ERR_ARG before the state is made. */
RONDO_API int Rondo_Comm_get_algorithm(MPI_Comm comm, const char* collective, char* text,
                                       int length);

/* Local. Says what the last exchange on this communicator ran, other than a plan's; "mpi" if it was forwarded to
 * the MPI library. A nonblocking exchange counts once it has begun; until then the text is "mpi". MPI_ERR_ARG
 * before the state is made. */
RONDO_API int Rondo_Comm_get_last_algorithm(MPI_Comm comm, char* text, int length);

/* ---- Plans. A plan is for the same exchange many times. It binds an algorithm, counts, displacements and
 * types, which are copied: the arguments may then be freed or changed. The first execution learns
 * the other ranks' sizes, so that later executions send data only.
 *
 * Learning. A plan for which no algorithm is named learns from its executions that are not started, as calls do,
 * unless RONDO_LEARN=0. Its first 16 executions run what `auto` runs. Then it times some of them, in pairs: one by
 * the algorithm that runs, and one by another of up to six, among them the MPI library's own call. If another one
 * is faster by more than 3 % in enough pairs, the plan runs it from then on, on all ranks from the same execution
 * on. Every execution is a complete exchange, whatever its algorithm. Trying costs at most about 1 % of many
 * executions. The algorithm that runs reports errors in its own way. If another one that is tried would report a
 * rank's error on that rank only, while the one that runs reports it on all ranks, the execution begins with a
 * reduction of a few bytes, so that all ranks return the error then, too.
 *
 * Measuring. The info key "rondo_measure" of rank 0 is "1" or "true" to measure, "0" or "false" or
 * unset not to; any other value is MPI_ERR_ARG on all ranks. A plan that measures learns even with
 * RONDO_LEARN=0, and from its first execution on. It tries everything at once, as if 16,000
 * executions had been made before, so do not measure for fewer than a few hundred. If an algorithm
 * is named, or on an inter-communicator, nothing is measured. With RONDO_VERBOSE=1 rank 0 prints on
 * stderr what a plan has learned.
 *
 * Errors. Where a plan is made, all ranks return the same error or success.
 *
 * Parameters:
 *   sendbuf  MPI_IN_PLACE for a plan that will be executed in place. Any other buffer is neither read nor kept
 *   recvbuf  is neither written nor kept
 *   info     may be MPI_INFO_NULL, or hold "rondo_measure" and one of the info keys that name an algorithm
 *   plan     written by the call: the plan */

/* A plan. RONDO_PLAN_NULL stands for none. */
typedef struct Rondo_Plan_s* Rondo_Plan;
#define RONDO_PLAN_NULL ((Rondo_Plan)0)

/* Collective. Makes a plan of the exchange of Rondo_Alltoall. */
RONDO_API int Rondo_Alltoall_plan(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

/* Collective. Makes a plan of the exchange of Rondo_Alltoallv. */
RONDO_API int Rondo_Alltoallv_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, Rondo_Plan* plan);

/* Collective. Makes a plan of the exchange of Rondo_Alltoallw. */
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

/* -- Plans of neighbourhood exchanges. If such a plan has found the MPI library's own call to be the fastest and
 * its communicator is freed, it runs spread_out from then on, because only that communicator has the topology. */

/* Collective. Makes a plan of the exchange of Rondo_Neighbor_alltoall. */
RONDO_API int Rondo_Neighbor_alltoall_plan(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                           Rondo_Plan* plan);

/* Collective. Makes a plan of the exchange of Rondo_Neighbor_alltoallv. */
RONDO_API int Rondo_Neighbor_alltoallv_plan(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            void* recvbuf, const int recvcounts[],
                                            const int rdispls[], MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

/* Collective. Makes a plan of the exchange of Rondo_Neighbor_alltoallw. */
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

/* -- Plans of sparse exchanges. Making such a plan finds out who sends to whom, and how much. Executing it moves
 * the blocks, and finds out nothing. The blocks that arrive lie one after another in the order of the ranks from
 * which they come, so the end of the last one is the size of the receive buffer, in elements of recvtype. With no
 * source, recvbuf of an execution may be a null pointer, and so may sendbuf if this rank sends nothing. A block of
 * 0 elements is not part of the plan.
 *
 * Algorithms. The lengths travel by what is chosen for "sparse_alltoallv". The plan is one of an exchange along
 * edges, and runs what is chosen for "neighbor_alltoallv": Rondo_Plan_get_algorithm says what. The MPI
 * library has no such call, so spread_out takes the place of "mpi". Only where set-up has failed, the plan
 * carries out an alltoallv. Making the plan is a sparse exchange: what Rondo has kept, and the arrays of
 * earlier calls of Rondo_Sparse_alltoallv, are no longer valid.
 *
 * Errors. Where the plan is made, all ranks return the same error or success. If set-up has failed, a rank to which
 * a block comes whose length is not a multiple of recvtype's size returns the error alone. Afterwards the errors
 * are those of plans of neighbourhoods. Once MPI_Finalize has begun, an execution returns MPI_ERR_OTHER.
 *
 * Parameters:
 *   sources  written by the call: from which ranks blocks come, and where each lies in the receive buffer. The
 *            arrays are the plan's, and are valid until it is freed
 *   info     may be MPI_INFO_NULL, or hold "rondo_measure" and one of the info keys that name an algorithm
 *   plan     written by the call: the plan */

/* Collective, on intra-communicators. Makes a plan of the exchange of Rondo_Sparse_alltoallv. */
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

/* -- Executing plans.
 *
 * Parameters:
 *   plan     the plan
 *   sendbuf  the blocks that this rank sends, which may lie elsewhere in each execution. MPI_IN_PLACE if the plan
 *            was made with it, and only then (else MPI_ERR_BUFFER)
 *   recvbuf  where the blocks are received, which may lie elsewhere in each execution
 *   request  written by the start: the execution that it has started
 *   text     where the algorithm is written. It is truncated to fit and always terminated
 *   length   how many chars `text` has room for */

/* Collective over the plan's communicator, which may have been freed in the meantime. Carries out a
 * plan's exchange once. */
RONDO_API int Rondo_Execute(Rondo_Plan plan, const void* sendbuf, void* recvbuf);

/* Collective, as Rondo_Execute. Starts an execution of a plan, as a nonblocking exchange. A plan may be started
 * again while earlier executions are outstanding. It learns sizes in each channel by itself. Started executions are
 * not timed, and run what the executions before have shown to be the fastest. If that is the MPI library's own
 * call, the ranks send their blocks straight, as spread_out does, unless "mpi" was named: then the start is the
 * library's. Freeing a plan completes its executions. */
RONDO_API int Rondo_Start(Rondo_Plan plan, const void* sendbuf, void* recvbuf,
                          Rondo_Request* request);

/* Local. Says what the plan runs, with the values of all parameters, as in
 * "fused_bruck:radix=4:ports=3:threshold=8192"; "mpi" if it is forwarded to the MPI library. For a plan that learns
 * this is the fastest algorithm so far; a few executions try others. */
RONDO_API int Rondo_Plan_get_algorithm(Rondo_Plan plan, char* text, int length);

/* Collective. Frees the plan, and sets it to RONDO_PLAN_NULL. Must be called before MPI_Finalize. Freeing
 * RONDO_PLAN_NULL does nothing. */
RONDO_API int Rondo_Plan_free(Rondo_Plan* plan);

/* ---- Queries. These functions are local and may be called before MPI_Init. Their errors (MPI_ERR_ARG) are
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

/* Returns how many rows the registry of algorithms has. */
RONDO_API int Rondo_Algorithm_count(void);

/* Fills in a row of the registry of algorithms. MPI_ERR_ARG if there is no such row.
 *
 * Parameters:
 *   index      the row, in 0 .. Rondo_Algorithm_count() - 1
 *   algorithm  written by the call: the row */
RONDO_API int Rondo_Algorithm_get(int index, Rondo_Algorithm* algorithm);

/* Says which version the library has, which may be newer than that of this header.
 *
 * Parameters:
 *   major  written by the call: the first number of the version
 *   minor  written by the call: the second
 *   patch  written by the call: the third */
RONDO_API int Rondo_Get_version(int* major, int* minor, int* patch);

/* Returns the text of this thread's last error, or "" if there was none. It is valid until this
 * thread's next error. */
RONDO_API const char* Rondo_Get_last_error(void);

/* Local. Chooses whether errors of this thread's calls of Rondo are also raised, as they are initially, or only
 * returned, whatever the error handlers. Interfaces that report errors in their own way need the latter. Returns
 * the previous flag.
 *
 * After flag = 1 the communicator's error handler is MPI_ERRORS_RETURN while a call or a start is forwarded to the
 * MPI library, and while an exchange whose start was forwarded in this way is tested or waited for, unless the
 * communicator has been freed.
 *
 * Parameters:
 *   flag  1 to return errors only, 0 to raise them as well */
RONDO_API int Rondo_Errors_return(int flag);

#ifdef __cplusplus
}
#endif

#endif
