// Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw and their large-count forms.

#include "api/entry.hpp"
#include "api/request.hpp"
#include "api/started_exchange.hpp"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

template <class Arguments>
void start_on(State& state, const Arguments& arguments, Rondo_Request* request) {
  *request = start_with_request(state.shared_from_this(), [&] {
    Channel& channel = state.next_channel();
    const auto exchange = std::make_shared<StartedExchange<Arguments>>(state, channel, arguments);
    return state.start_in(channel, [exchange] { exchange->run(); });
  });
}

template <class Arguments>
int start(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&]() -> int {
    clear_request(request);
    if (exchange::has_outstanding()) exchange::advance_outstanding();
    State* const state = ready_state(arguments.comm);
    if (state == nullptr || state->leaves_to_library(Arguments::kForm))
      return start_forwarded(arguments, request);
    start_on(*state, arguments, request);
    return MPI_SUCCESS;
  });
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start(Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}, request);
}

int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request) {
  return start(Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                         recvtype, comm},
               request);
}

int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     Rondo_Request* request) {
  return start(Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                         recvtypes, comm},
               request);
}

#if MPI_VERSION >= 4
int Rondo_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      Rondo_Request* request) {
  return start(LargeAlltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
               request);
}

int Rondo_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       Rondo_Request* request) {
  return start(LargeAlltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, comm},
               request);
}

int Rondo_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       Rondo_Request* request) {
  return start(LargeAlltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes, comm},
               request);
}
#endif

}  // extern "C"
