// The entries of exchanges without receive counts: Rondo_Alltoallv_dynamic, as a call and as a start, and
// Rondo_Sparse_alltoallv, as a call and as a plan, the forms that allocate, with int counts and with large ones,
// and Rondo_Alltoallv_dynamic_take.

#include "api/own_call.hpp"
#include "exchange/call_receiving.hpp"
#include "exchange/sparse_plan.hpp"
#include "exchange/start_dynamic.hpp"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace

// The sending side of both kinds.
#define BLOCKS(Count, Displacement) \
  const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype

// Both forms of a dynamic exchange. `last` is what follows the arguments of the exchange.
#define DYNAMIC(entry, alloc_entry, carry_out, Count, Displacement, Last, last)                    \
  extern "C" int entry(const void* sendbuf, BLOCKS(Count, Displacement), void* recvbuf,            \
                       Count recvcapacity, Count recvcounts[], Displacement rdispls[],             \
                       MPI_Datatype recvtype, MPI_Comm comm Last) {                                \
    const rondo::api::OwnCall own(#entry);                                                         \
    return carry_out(DynamicArguments<Count, Displacement>{                                        \
        sendbuf, sendcounts, sdispls, sendtype, given(recvbuf, recvcapacity), recvcounts, rdispls, \
        recvtype, comm} last);                                                                     \
  }                                                                                                \
  extern "C" int alloc_entry(const void* sendbuf, BLOCKS(Count, Displacement),                     \
                             Rondo_Allocate_function* allocate, void* extra, void* recvbuf,        \
                             Count recvcounts[], Displacement rdispls[], MPI_Datatype recvtype,    \
                             MPI_Comm comm Last) {                                                 \
    const rondo::api::OwnCall own(#alloc_entry);                                                   \
    return carry_out(DynamicArguments<Count, Displacement>{                                        \
        sendbuf, sendcounts, sdispls, sendtype, allocated(allocate, extra, recvbuf), recvcounts,   \
        rdispls, recvtype, comm} last);                                                            \
  }

// What a start takes in addition.
#define REQUEST , Rondo_Request* request
#define NAMED_REQUEST , request

// The three forms of a sparse exchange.
#define SPARSE(entry, alloc_entry, plan_entry, Sources, Count, Displacement)                      \
  extern "C" int entry(const void* sendbuf, int ndestinations, const int destinations[],          \
                       BLOCKS(Count, Displacement), void* recvbuf, Count recvcapacity,            \
                       MPI_Datatype recvtype, Sources* sources, MPI_Comm comm) {                  \
    const rondo::api::OwnCall own(#entry);                                                        \
    return call_receiving(SparseArguments<Count, Displacement>{                                   \
        sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,                      \
        given(recvbuf, recvcapacity), recvtype, sources, comm});                                  \
  }                                                                                               \
  extern "C" int alloc_entry(const void* sendbuf, int ndestinations, const int destinations[],    \
                             BLOCKS(Count, Displacement), Rondo_Allocate_function* allocate,      \
                             void* extra, void* recvbuf, MPI_Datatype recvtype, Sources* sources, \
                             MPI_Comm comm) {                                                     \
    const rondo::api::OwnCall own(#alloc_entry);                                                  \
    return call_receiving(SparseArguments<Count, Displacement>{                                   \
        sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,                      \
        allocated(allocate, extra, recvbuf), recvtype, sources, comm});                           \
  }                                                                                               \
  extern "C" int plan_entry(int ndestinations, const int destinations[],                          \
                            BLOCKS(Count, Displacement), MPI_Datatype recvtype, Sources* sources, \
                            MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {                     \
    return make_sparse_plan(SparseArguments<Count, Displacement>{nullptr,                         \
                                                                 ndestinations,                   \
                                                                 destinations,                    \
                                                                 sendcounts,                      \
                                                                 sdispls,                         \
                                                                 sendtype,                        \
                                                                 {},                              \
                                                                 recvtype,                        \
                                                                 sources,                         \
                                                                 comm},                           \
                            info, plan);                                                          \
  }

DYNAMIC(Rondo_Alltoallv_dynamic, Rondo_Alltoallv_dynamic_alloc, call_receiving, int, int, , )
DYNAMIC(Rondo_Ialltoallv_dynamic, Rondo_Ialltoallv_dynamic_alloc, start_dynamic, int, int, REQUEST,
        NAMED_REQUEST)
SPARSE(Rondo_Sparse_alltoallv, Rondo_Sparse_alltoallv_alloc, Rondo_Sparse_alltoallv_plan,
       Rondo_Sources, int, int)
#if MPI_VERSION >= 4
DYNAMIC(Rondo_Alltoallv_dynamic_c, Rondo_Alltoallv_dynamic_alloc_c, call_receiving, MPI_Count,
        MPI_Aint, , )
DYNAMIC(Rondo_Ialltoallv_dynamic_c, Rondo_Ialltoallv_dynamic_alloc_c, start_dynamic, MPI_Count,
        MPI_Aint, REQUEST, NAMED_REQUEST)
SPARSE(Rondo_Sparse_alltoallv_c, Rondo_Sparse_alltoallv_alloc_c, Rondo_Sparse_alltoallv_plan_c,
       Rondo_Sources_c, MPI_Count, MPI_Aint)
#endif

#undef REQUEST
#undef NAMED_REQUEST
#undef DYNAMIC
#undef SPARSE
#undef BLOCKS

extern "C" int Rondo_Alltoallv_dynamic_take(void* recvbuf, MPI_Count recvcapacity,
                                            MPI_Datatype recvtype, MPI_Comm comm) {
  return guarded(comm, [&] {
    const rondo::communicator::State* const state =
        rondo::communicator::is_inter(comm) ? nullptr : rondo::communicator::find_state(comm);
    if (state == nullptr)
      throw rondo::Error(rondo::ErrorClass::argument, "there was no dynamic exchange on comm");
    state->kept.copy_to(recvbuf, recvcapacity, recvtype, comm);
  });
}
