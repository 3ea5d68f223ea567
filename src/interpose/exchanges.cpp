#include "interpose/exchanges.hpp"

#include <atomic>

#include "api/carry_out.hpp"
#include "interpose/clock.hpp"
#include "interpose/observe.hpp"

namespace rondo::interpose {

namespace {

/// Whether MPI_Init has been called. A program may use MPI through sessions alone, without
/// MPI_COMM_SELF, on which Rondo's states depend.
bool has_world() {
  static std::atomic<bool> has_it = false;
  if (has_it.load(std::memory_order_relaxed)) return true;
  int is_initialized = 0;
  if (PMPI_Initialized(&is_initialized) == MPI_SUCCESS && is_initialized != 0) has_it = true;
  return has_it;
}

template <class Arguments>
int run(const Arguments& arguments) {
  if (!has_world()) return arguments.forward();
  const ab::Turn turn = ab::next_turn(arguments.comm, Arguments::kForm);
  const double start = now_in_seconds();
  const int code = turn.arm == ab::Arm::library ? arguments.forward() : api::carry_out(arguments);
  const double end = now_in_seconds();
  observe(arguments,
          {.turn = turn, .has_succeeded = code == MPI_SUCCESS, .seconds = end - start, .end = end});
  return code;
}

}  // namespace

int alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run(buffers::Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
              void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
              MPI_Comm comm) {
  return run(buffers::Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                rdispls, recvtype, comm});
}

int alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
              const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return run(buffers::Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                rdispls, recvtypes, comm});
}

#if MPI_VERSION >= 4
int large_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run(
      buffers::LargeAlltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int large_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return run(buffers::LargeAlltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                     rdispls, recvtype, comm});
}

int large_alltoallw(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return run(buffers::LargeAlltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                     rdispls, recvtypes, comm});
}
#endif

}  // namespace rondo::interpose
