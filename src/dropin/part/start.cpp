// MPI_Ialltoall, MPI_Ialltoallv and MPI_Ialltoallw in C.

#include "dropin/part/start.hpp"

#include <mpi.h>

namespace rondo::dropin {

namespace {

template <class Arguments, MpiCall call, class... Words>
int c_start(Words... words, MPI_Request* request) {
  return start_exchange(Arguments{words...}, call, request);
}

/// The arguments of the MPI function but for its last, the request, are those of the call that blocks.
template <class Arguments, MpiCall call, class... Words>
void replace_start(Part& part, int (*)(Words...)) {
  part.c[index(call)] = untyped(c_start<Arguments, call, Words...>);
}

}  // namespace

void add_starts(Part& part) {
  if (!mpi::has_progress_hook()) return;
  replace_start<buffers::Alltoall, MpiCall::Ialltoall>(part, PMPI_Alltoall);
  replace_start<buffers::Alltoallv, MpiCall::Ialltoallv>(part, PMPI_Alltoallv);
  replace_start<buffers::Alltoallw, MpiCall::Ialltoallw>(part, PMPI_Alltoallw);
#if MPI_VERSION >= 4
  replace_start<buffers::LargeAlltoall, MpiCall::Ialltoall_c>(part, PMPI_Alltoall_c);
  replace_start<buffers::LargeAlltoallv, MpiCall::Ialltoallv_c>(part, PMPI_Alltoallv_c);
  replace_start<buffers::LargeAlltoallw, MpiCall::Ialltoallw_c>(part, PMPI_Alltoallw_c);
#endif
}

}  // namespace rondo::dropin
