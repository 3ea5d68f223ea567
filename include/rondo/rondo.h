/* Rondo: all-to-all exchanges in rounds. The C interface.
 *
 * Functions return an MPI error class (MPI_SUCCESS on success). An error is also raised through the
 * communicator's error handler, like MPI's own, unless Rondo_Errors_return says otherwise; before a
 * fatal handler ends the program, the text stands on stderr. Rondo_Get_last_error gives the text of the
 * calling thread's last error.
 *
 * Unless they say otherwise, functions may be called between MPI_Init and MPI_Finalize only, by any
 * thread as far as MPI was initialised for it. Exchanges that come later, from delete callbacks of
 * MPI_COMM_SELF or in a session, are the MPI library's, and so is a plan's execution as long as its
 * communicator is there. Calls marked collective must be made by all ranks of
 * the communicator, in the same order as its other collectives.
 *
 * Who is told of an error. MPI's arguments are local: one rank may find its own wrong while the
 * others' are right. With node_aware and fused_bruck, which are what `auto` uses
 * (but for a few ranks on several nodes, as RONDO_VERBOSE=1 says), such a rank still takes part, as
 * it does if it cannot pack its data, and all ranks return the error. If ranks disagree on a length,
 * these two return MPI_ERR_TRUNCATE on the rank that receives the block, or for a short block
 * between nodes on all ranks of its node; others may return success. Nobody waits for ever, nothing
 * is written outside the blocks, and later exchanges are right. (This holds in place for blocks of
 * up to 1 MiB, and not for MPI_Alltoall under `auto`, which goes by the length: there a rank that has
 * a node to itself and all of whose counts or types are wrong may return alone.) The algorithms kept
 * as their papers published them promise all this only with RONDO_CHECK=1; without it the other
 * ranks may wait for ever, as they may in MPI. A rank that has no memory for the algorithm's own
 * scratch, or in which an MPI call fails, breaks off; the communicator's later exchanges then return
 * MPI_ERR_OTHER there, and its private communicator is never freed: messages may still be on their
 * way.
 *
 * State. The first call on a communicator broadcasts the settings (see the README's table of
 * environment variables). Unless an algorithm is named, `auto` forwards the first calls to the MPI
 * library, at least 32 and until they have taken as long as set-up will (the ranks compare the two
 * after 32, 64, 128, ... calls), or RONDO_FORWARD_CALLS calls where that is set: a communicator
 * that lives for a few calls does not pay for set-up. Then, or at Rondo_Comm_prepare, the state is
 * made: one private communicator, the map of nodes, scratch memory, and with the first algorithm
 * that uses it the shared memory of the node. Its size depends on RONDO_SLOT_BYTES and the numbers
 * of ranks (src/exchange/node.hpp has the formula), and all communicators of a rank together stay
 * within RONDO_MEMORY. A process has the state of at most 256 communicators at a time, since MPI
 * libraries run out of communicators. Beyond that, or where set-up fails on any rank, the exchanges
 * on a communicator stay the MPI library's, and one rank warns once in the process. The state is
 * freed with the communicator, at the latest in MPI_Finalize. Scratch memory grows to what the
 * largest call needed (each algorithm's file says how much; growing may add half) and is then kept:
 * a call that moves no more bytes in any round allocates nothing.
 *
 * Shared memory is a memfd, of which a killed job leaves nothing, or where processes cannot reach
 * each other's descriptors a shm_open object, which is unlinked as soon as all ranks have it open.
 * Where some rank cannot have it, all ranks of the communicator go on with messages, and rank 0
 * gives each reason once on stderr. While a rank waits for its node it keeps MPI going.
 *
 * Buffers of a device. A send or receive buffer, or both, may be memory that only a GPU can touch:
 * its own rank then packs the blocks into host memory before the exchange and unpacks them after it,
 * whatever the algorithm and whatever the other ranks have. Memory that the host can touch as well
 * (managed, or the host's own known to the device) is used where it is. Nothing is done unless the
 * program has loaded CUDA's driver (libcuda.so.1; every program that uses CUDA has) or HIP's
 * run-time library by the time of the call. All blocks of a buffer must be of one kind of memory:
 * Rondo asks about the first byte. As in MPI, the program's own work on a buffer must be finished
 * before the call; when it returns, the data is there. A block whose type is not contiguous must lie
 * in one allocation with its gaps, which are read and written back as they were. A copy that
 * fails is MPI_ERR_OTHER: from a send buffer on all ranks that are told of errors (see above), to a
 * receive buffer on this rank alone. A call that is forwarded to the MPI library gets the buffers as
 * they are, which then depends on that library.
 *
 * Lengths. A block may be longer than 2 GiB, and so may totals and displacements in bytes.
 */
#ifndef RONDO_RONDO_H
#define RONDO_RONDO_H

#include <mpi.h>

#define RONDO_VERSION_MAJOR 0
#define RONDO_VERSION_MINOR 1
#define RONDO_VERSION_PATCH 0

#define RONDO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Exchanges. Collective. Arguments and meaning are exactly those of MPI_Alltoall,
 * MPI_Alltoallv and MPI_Alltoallw: any datatypes, MPI_IN_PLACE as sendbuf, MPI_BOTTOM, zero counts.
 * On an inter-communicator they call the MPI library's own. Errors: MPI_ERR_COUNT (negative or too
 * large), MPI_ERR_BUFFER (null with bytes to move), MPI_ERR_TYPE, MPI_ERR_COMM, MPI_ERR_TRUNCATE (a
 * rank sends more or less than this rank expects, where it is seen), MPI_ERR_NO_MEM, or what MPI
 * returned. */

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

/* ---- Which algorithm. In order: Rondo_Comm_set_algorithm; the info keys "rondo_alltoall",
 * "rondo_alltoallv", "rondo_alltoallw" of the info given to Rondo_Comm_prepare or of the
 * communicator (as rank 0 has them; MPI libraries may drop keys they do not know from a
 * communicator); the environment variables RONDO_ALLTOALL, RONDO_ALLTOALLV, RONDO_ALLTOALLW of rank
 * 0; else "auto".
 *
 * * An algorithm is written NAME[:PARAMETER=VALUE]..., as in "two_layer_bruck:intra=4:inter=8".
 * A radix above the number of ranks acts as that number; P = 1 is a local copy whatever the
 * parameters. */

/* Collective. Make the state now, so that no call is forwarded by `auto`. `info` may be
 * MPI_INFO_NULL; it is not read if the state has been made already. Does nothing on an
 * inter-communicator. */
RONDO_API int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info);

/* Collective. `collective` is "alltoall", "alltoallv" or "alltoallw"; `algorithm` the text above,
 * "auto", or NULL for auto; both alike on all ranks, else all return MPI_ERR_ARG and nothing
 * changes. Makes the state. Plans that exist keep their algorithm. */
RONDO_API int Rondo_Comm_set_algorithm(MPI_Comm comm, const char* collective,
                                       const char* algorithm);

/* Local, after the state was made. What a call of `collective` runs on this communicator, with the
 * values of all parameters, into `text` of `length` chars (truncated to fit, always terminated);
 * "auto" where it depends on the call. MPI_ERR_ARG before the state is made. */
RONDO_API int Rondo_Comm_get_algorithm(MPI_Comm comm, const char* collective, char* text,
                                       int length);

/* Local. What the last call of Rondo_Alltoall, Rondo_Alltoallv or Rondo_Alltoallw on this communicator ran,
 * in the same form; "mpi" where it was left to the MPI library. MPI_ERR_ARG before the state is made. */
RONDO_API int Rondo_Comm_get_last_algorithm(MPI_Comm comm, char* text, int length);

/* ---- Plans: the same exchange many times. A plan binds algorithm, counts, displacements and types
 * (copied: the arguments may be freed or changed), and remembers after its first execution what the
 * others' sizes were, so that later executions send data only. `info` may be MPI_INFO_NULL or hold
 * one of the info keys above.
 *
 * Measuring. With the info key "rondo_measure" set to "1" or "true" ("0" or "false", as without the
 * key: not; anything else is MPI_ERR_ARG on all ranks; rank 0's info counts) a plan for which no
 * algorithm is named tries up to six: what `auto` runs, the MPI library's own call, and what else
 * is predicted to be fast for its longest block. Its first executions, six for each, go by them in
 * turn, and begin with a reduction of a few bytes, so that ranks begin together, and one that finds
 * its own arguments wrong leaves nobody waiting: all ranks return the error, and the execution
 * counts. Each algorithm is judged by the median of its last five, the largest duration over the
 * ranks of each that succeeded. The next execution begins with a reduction of these; then the plan
 * goes on with the fastest, or with what `auto` runs if none is faster by more than 3 %, on all
 * ranks alike, and costs what any other costs. An error is then told as that algorithm tells it.
 * Every execution is a whole exchange, whatever carries it out. A named algorithm wins: nothing is
 * measured, nor is it on an inter-communicator. With RONDO_VERBOSE=1 rank 0 says on stderr what won,
 * with all medians. */
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

/* Collective over the plan's communicator, which may have been freed meanwhile. The buffers may
 * differ from call to call; a plan made with MPI_IN_PLACE is executed with MPI_IN_PLACE, any other
 * without (else MPI_ERR_BUFFER). */
RONDO_API int Rondo_Execute(Rondo_Plan plan, const void* sendbuf, void* recvbuf);

/* Local. What the plan runs, with the values of all parameters, into `text` of `length` chars
 * (truncated to fit, always terminated): "fused_bruck:radix=4:ports=3:threshold=8192"; "mpi" where
 * the MPI library exchanges; "auto is still measuring: NAME, NAME" as long as it measures. */
RONDO_API int Rondo_Plan_get_algorithm(Rondo_Plan plan, char* text, int length);

/* Collective; before MPI_Finalize. Sets *plan to RONDO_PLAN_NULL. Freeing RONDO_PLAN_NULL does
 * nothing. */
RONDO_API int Rondo_Plan_free(Rondo_Plan* plan);

/* ---- Asking. Local; these work before MPI_Init too, and their errors (MPI_ERR_ARG) raise no error
 * handler. */

/* One algorithm of the registry; all texts live as long as the library. */
typedef struct {
  const char* collective; /* "alltoall" or "alltoallv" (which serves alltoallw too) */
  const char* name;
  const char* parameters; /* "intra inter ports", empty if none */
  const char* idea;
  const char* source;
  const char* cost;
} Rondo_Algorithm;

/* How many rows the registry has. */
RONDO_API int Rondo_Algorithm_count(void);

/* Row `index` of 0 .. Rondo_Algorithm_count() - 1, else MPI_ERR_ARG. */
RONDO_API int Rondo_Algorithm_get(int index, Rondo_Algorithm* algorithm);

RONDO_API int Rondo_Get_version(int* major, int* minor, int* patch);

/* The text of the last error of this thread, "" if there was none. Valid until this thread's next
 * error. */
RONDO_API const char* Rondo_Get_last_error(void);

/* Local. With flag = 1 errors of this thread's calls of Rondo are only returned, whatever error handlers
 * there are, for interfaces that report them in their own way; with 0, as at first, they are raised too.
 * While a call is left to the MPI library, the communicator's handler is MPI_ERRORS_RETURN. Returns the
 * flag before. */
RONDO_API int Rondo_Errors_return(int flag);

#ifdef __cplusplus
}
#endif

#endif
