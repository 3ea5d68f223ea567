// MPI's exchanges as Fortran calls them, for Open MPI. Its Fortran functions call the PMPI_ functions
// of C, where Rondo cannot see the call.

#include <mpi.h>

#include "dropin/part/exchange.hpp"
#include "dropin/part/fortran_arguments.hpp"
#include "dropin/part/start.hpp"

namespace rondo::dropin {

namespace fortran {

namespace {

/// How many edges lead from a rank and to it.
struct EdgeCounts {
  int to = 0;
  int from = 0;
};

/// Without a topology there are none, and the MPI library rejects the call.
EdgeCounts edge_counts(MPI_Comm comm) {
  try {
    const communicator::Topology topology = communicator::read_topology(comm);
    return {topology.to.count(), topology.from.count()};
  } catch (const Error&) {
    return {};
  }
}

void alltoall(const void* sendbuf, const MPI_Fint* sendcount, const MPI_Fint* sendtype,
              void* recvbuf, const MPI_Fint* recvcount, const MPI_Fint* recvtype,
              const MPI_Fint* comm, MPI_Fint* error) {
  set_error(error, exchange(buffers::Alltoall{
                       to_c(sendbuf), *ints(sendcount), PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                       *ints(recvcount), PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)}));
}

void alltoallv(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
               const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
               const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm,
               MPI_Fint* error) {
  set_error(error, exchange(buffers::Alltoallv{to_c(sendbuf), ints(sendcounts), ints(sdispls),
                                               PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                                               ints(recvcounts), ints(rdispls),
                                               PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)}));
}

void alltoallw(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
               const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
               const MPI_Fint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
               MPI_Fint* error) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const int ranks = peers(c_comm);
  // With MPI_IN_PLACE, sendtypes may be anything, even no array.
  const void* send = to_c(sendbuf);
  const auto send_types = types_in_c(sendtypes, send == MPI_IN_PLACE ? 0 : ranks);
  const auto receive_types = types_in_c(recvtypes, ranks);
  set_error(error, exchange(buffers::Alltoallw{send, ints(sendcounts), ints(sdispls),
                                               send_types.data(), to_c(recvbuf), ints(recvcounts),
                                               ints(rdispls), receive_types.data(), c_comm}));
}

/// Starts an exchange, and gives Fortran its request.
template <class Arguments>
void start(const Arguments& arguments, MpiCall call, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request started = MPI_REQUEST_NULL;
  const int code = start_exchange(arguments, call, &started);
  if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(started);
  set_error(error, code);
}

void ialltoall(const void* sendbuf, const MPI_Fint* sendcount, const MPI_Fint* sendtype,
               void* recvbuf, const MPI_Fint* recvcount, const MPI_Fint* recvtype,
               const MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  start(buffers::Alltoall{to_c(sendbuf), *ints(sendcount), PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                          *ints(recvcount), PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)},
        MpiCall::Ialltoall, request, error);
}

void ialltoallv(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
                const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
                const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* error) {
  start(buffers::Alltoallv{to_c(sendbuf), ints(sendcounts), ints(sdispls), PMPI_Type_f2c(*sendtype),
                           to_c(recvbuf), ints(recvcounts), ints(rdispls), PMPI_Type_f2c(*recvtype),
                           PMPI_Comm_f2c(*comm)},
        MpiCall::Ialltoallv, request, error);
}

/// The types in C are not needed after the start, as Open MPI's own function assumes, too.
void ialltoallw(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
                const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
                const MPI_Fint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* error) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const int ranks = peers(c_comm);
  const void* send = to_c(sendbuf);
  const auto send_types = types_in_c(sendtypes, send == MPI_IN_PLACE ? 0 : ranks);
  const auto receive_types = types_in_c(recvtypes, ranks);
  start(buffers::Alltoallw{send, ints(sendcounts), ints(sdispls), send_types.data(), to_c(recvbuf),
                           ints(recvcounts), ints(rdispls), receive_types.data(), c_comm},
        MpiCall::Ialltoallw, request, error);
}

void neighbor_alltoall(const void* sendbuf, const MPI_Fint* sendcount, const MPI_Fint* sendtype,
                       void* recvbuf, const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                       const MPI_Fint* comm, MPI_Fint* error) {
  set_error(error,
            exchange_on_edges(
                buffers::NeighborAlltoall{
                    {to_c(sendbuf), *ints(sendcount), PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                     *ints(recvcount), PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)}},
                MpiCall::Neighbor_alltoall));
}

void neighbor_alltoallv(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
                        const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
                        const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm,
                        MPI_Fint* error) {
  set_error(error, exchange_on_edges(
                       buffers::NeighborAlltoallv{{to_c(sendbuf), ints(sendcounts), ints(sdispls),
                                                   PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                                                   ints(recvcounts), ints(rdispls),
                                                   PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)}},
                       MpiCall::Neighbor_alltoallv));
}

/// The displacements are addresses in Fortran too.
void neighbor_alltoallw(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Aint* sdispls,
                        const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
                        const MPI_Aint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
                        MPI_Fint* error) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const EdgeCounts edges = edge_counts(c_comm);
  const auto send_types = types_in_c(sendtypes, edges.to);
  const auto receive_types = types_in_c(recvtypes, edges.from);
  set_error(error,
            exchange_on_edges(
                buffers::NeighborAlltoallw{{to_c(sendbuf), ints(sendcounts), sdispls,
                                            send_types.data(), to_c(recvbuf), ints(recvcounts),
                                            rdispls, receive_types.data(), c_comm}},
                MpiCall::Neighbor_alltoallw));
}

}  // namespace

}  // namespace fortran

void add_fortran(Part& part) {
  part.fortran_scope = fortran::find_sentinels;
  // If Fortran's integers are not C's, its exchanges are left to the MPI library.
  if constexpr (sizeof(MPI_Fint) == sizeof(int)) {
    part.fortran[index(MpiCall::Alltoall)] = untyped(fortran::alltoall);
    part.fortran[index(MpiCall::Alltoallv)] = untyped(fortran::alltoallv);
    part.fortran[index(MpiCall::Alltoallw)] = untyped(fortran::alltoallw);
    if (mpi::has_progress_hook()) {
      part.fortran[index(MpiCall::Ialltoall)] = untyped(fortran::ialltoall);
      part.fortran[index(MpiCall::Ialltoallv)] = untyped(fortran::ialltoallv);
      part.fortran[index(MpiCall::Ialltoallw)] = untyped(fortran::ialltoallw);
    }
    part.fortran[index(MpiCall::Neighbor_alltoall)] = untyped(fortran::neighbor_alltoall);
    part.fortran[index(MpiCall::Neighbor_alltoallv)] = untyped(fortran::neighbor_alltoallv);
    part.fortran[index(MpiCall::Neighbor_alltoallw)] = untyped(fortran::neighbor_alltoallw);
  }
}

}  // namespace rondo::dropin
