// The entries that take the arguments of MPI's own exchanges: each form as a call, as a start and as a plan,
// with int counts and with large ones.

#include "exchange/call.hpp"
#include "exchange/carry_out.hpp"
#include "exchange/plan.hpp"
#include "exchange/start.hpp"
#include "rondo/rondo.h"

namespace rondo::exchange {

template <class Arguments>
int carry_out(const Arguments& arguments) {
  return call(arguments);
}

}  // namespace rondo::exchange

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define UNIFORM(Count, Displacement)                                                           \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm
#define UNIFORM_NAMES sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm

#define VECTOR(Count, Displacement)                                            \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], \
      MPI_Datatype sendtype, void *recvbuf, const Count recvcounts[],          \
      const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define VECTOR_NAMES \
  sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm

#define TYPED(Count, Displacement)                                             \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], \
      const MPI_Datatype sendtypes[], void *recvbuf, const Count recvcounts[], \
      const Displacement rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm
#define TYPED_NAMES \
  sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm

/// One row: the names of the call and of the start, the arguments, and the suffix of large counts.
#define ENTRIES(Arguments, Call, Start, Shape, Count, Displacement, suffix)                  \
  template int rondo::exchange::carry_out(const Arguments&);                                 \
  extern "C" int Rondo_##Call##suffix(Shape(Count, Displacement)) {                          \
    return call(Arguments{Shape##_NAMES});                                                   \
  }                                                                                          \
  extern "C" int Rondo_##Start##suffix(Shape(Count, Displacement), Rondo_Request* request) { \
    return start(Arguments{Shape##_NAMES}, request);                                         \
  }                                                                                          \
  extern "C" int Rondo_##Call##_plan##suffix(Shape(Count, Displacement), MPI_Info info,      \
                                             Rondo_Plan* plan) {                             \
    return make_plan(Arguments{Shape##_NAMES}, info, plan);                                  \
  }

// clang-format off
ENTRIES(Alltoall, Alltoall, Ialltoall, UNIFORM, int, int, )
ENTRIES(Alltoallv, Alltoallv, Ialltoallv, VECTOR, int, int, )
ENTRIES(Alltoallw, Alltoallw, Ialltoallw, TYPED, int, int, )
ENTRIES(NeighborAlltoall, Neighbor_alltoall, Ineighbor_alltoall, UNIFORM, int, int, )
ENTRIES(NeighborAlltoallv, Neighbor_alltoallv, Ineighbor_alltoallv, VECTOR, int, int, )
ENTRIES(NeighborAlltoallw, Neighbor_alltoallw, Ineighbor_alltoallw, TYPED, int, MPI_Aint, )
#if MPI_VERSION >= 4
ENTRIES(LargeAlltoall, Alltoall, Ialltoall, UNIFORM, MPI_Count, MPI_Aint, _c)
ENTRIES(LargeAlltoallv, Alltoallv, Ialltoallv, VECTOR, MPI_Count, MPI_Aint, _c)
ENTRIES(LargeAlltoallw, Alltoallw, Ialltoallw, TYPED, MPI_Count, MPI_Aint, _c)
ENTRIES(LargeNeighborAlltoall, Neighbor_alltoall, Ineighbor_alltoall, UNIFORM, MPI_Count, MPI_Aint, _c)
ENTRIES(LargeNeighborAlltoallv, Neighbor_alltoallv, Ineighbor_alltoallv, VECTOR, MPI_Count, MPI_Aint, _c)
ENTRIES(LargeNeighborAlltoallw, Neighbor_alltoallw, Ineighbor_alltoallw, TYPED, MPI_Count, MPI_Aint, _c)
#endif
// clang-format on

#undef ENTRIES
#undef UNIFORM
#undef UNIFORM_NAMES
#undef VECTOR
#undef VECTOR_NAMES
#undef TYPED
#undef TYPED_NAMES
