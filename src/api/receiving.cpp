// The entries of exchanges without receive counts: Rondo_Alltoallv_dynamic, as a call and as a start, and
// Rondo_Sparse_alltoallv, as a call and as a plan, the forms that allocate, with int counts and with large ones,
// and Rondo_Alltoallv_dynamic_take.

#include "exchange/call_receiving.hpp"
#include "exchange/sparse_plan.hpp"
#include "exchange/start_dynamic.hpp"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace

// The sending side of both kinds.
#define BLOCKS(Count, Displacement) \
  const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype

// Both forms of a dynamic exchange. `last` is what follows the arguments of the exchange.
#define DYNAMIC(Function, carry_out, Count, Displacement, suffix, Last, last)                      \
  extern "C" int Rondo_##Function##suffix(                                                         \
      const void* sendbuf, BLOCKS(Count, Displacement), void* recvbuf, Count recvcapacity,         \
      Count recvcounts[], Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm Last) {     \
    return carry_out(DynamicArguments<Count, Displacement>{                                        \
        sendbuf, sendcounts, sdispls, sendtype, given(recvbuf, recvcapacity), recvcounts, rdispls, \
        recvtype, comm} last);                                                                     \
  }                                                                                                \
  extern "C" int Rondo_##Function##_alloc##suffix(                                                 \
      const void* sendbuf, BLOCKS(Count, Displacement), Rondo_Allocate_function* allocate,         \
      void* extra, void* recvbuf, Count recvcounts[], Displacement rdispls[],                      \
      MPI_Datatype recvtype, MPI_Comm comm Last) {                                                 \
    return carry_out(DynamicArguments<Count, Displacement>{                                        \
        sendbuf, sendcounts, sdispls, sendtype, allocated(allocate, extra, recvbuf), recvcounts,   \
        rdispls, recvtype, comm} last);                                                            \
  }

// What a start takes in addition.
#define REQUEST , Rondo_Request* request
#define NAMED_REQUEST , request

#define ENTRIES(Count, Displacement, suffix)                                                      \
  DYNAMIC(Alltoallv_dynamic, call_receiving, Count, Displacement, suffix, , )                     \
  DYNAMIC(Ialltoallv_dynamic, start_dynamic, Count, Displacement, suffix, REQUEST, NAMED_REQUEST) \
  extern "C" int Rondo_Sparse_alltoallv##suffix(                                                  \
      const void* sendbuf, int ndestinations, const int destinations[],                           \
      BLOCKS(Count, Displacement), void* recvbuf, Count recvcapacity, MPI_Datatype recvtype,      \
      Rondo_Sources##suffix* sources, MPI_Comm comm) {                                            \
    return call_receiving(SparseArguments<Count, Displacement>{                                   \
        sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,                      \
        given(recvbuf, recvcapacity), recvtype, sources, comm});                                  \
  }                                                                                               \
  extern "C" int Rondo_Sparse_alltoallv_alloc##suffix(                                            \
      const void* sendbuf, int ndestinations, const int destinations[],                           \
      BLOCKS(Count, Displacement), Rondo_Allocate_function* allocate, void* extra, void* recvbuf, \
      MPI_Datatype recvtype, Rondo_Sources##suffix* sources, MPI_Comm comm) {                     \
    return call_receiving(SparseArguments<Count, Displacement>{                                   \
        sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,                      \
        allocated(allocate, extra, recvbuf), recvtype, sources, comm});                           \
  }                                                                                               \
  extern "C" int Rondo_Sparse_alltoallv_plan##suffix(                                             \
      int ndestinations, const int destinations[], BLOCKS(Count, Displacement),                   \
      MPI_Datatype recvtype, Rondo_Sources##suffix* sources, MPI_Comm comm, MPI_Info info,        \
      Rondo_Plan* plan) {                                                                         \
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

ENTRIES(int, int, )
#if MPI_VERSION >= 4
ENTRIES(MPI_Count, MPI_Aint, _c)
#endif

#undef ENTRIES
#undef REQUEST
#undef NAMED_REQUEST
#undef DYNAMIC
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
