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

/// Ends a replacement: carries the exchange out.
template <class Arguments>
void finish(const Arguments& arguments, MpiCall call, MPI_Fint* error) {
  set_error(error, exchange(arguments, call));
}

/// Ends the replacement of a start, and gives Fortran its request.
template <class Arguments>
void finish(const Arguments& arguments, MpiCall call, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request started = MPI_REQUEST_NULL;
  const int code = start_exchange(arguments, call, &started);
  if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(started);
  set_error(error, code);
}

// The replacements. `Last` are the arguments after the communicator: ierror, or the request and ierror.

template <class Arguments, MpiCall call, class... Last>
void uniform(const void* sendbuf, const MPI_Fint* sendcount, const MPI_Fint* sendtype,
             void* recvbuf, const MPI_Fint* recvcount, const MPI_Fint* recvtype,
             const MPI_Fint* comm, Last... last) {
  finish(arguments_of<Arguments>(to_c(sendbuf), *ints(sendcount), PMPI_Type_f2c(*sendtype),
                                 to_c(recvbuf), *ints(recvcount), PMPI_Type_f2c(*recvtype),
                                 PMPI_Comm_f2c(*comm)),
         call, last...);
}

template <class Arguments, MpiCall call, class... Last>
void vector(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
            const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
            const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm, Last... last) {
  finish(arguments_of<Arguments>(to_c(sendbuf), ints(sendcounts), ints(sdispls),
                                 PMPI_Type_f2c(*sendtype), to_c(recvbuf), ints(recvcounts),
                                 ints(rdispls), PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)),
         call, last...);
}

/// The types in C are not needed after a start, as Open MPI's own function assumes, too.
template <class Arguments, MpiCall call, class... Last>
void typed(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
           const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
           const MPI_Fint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm, Last... last) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const int ranks = peers(c_comm);
  // With MPI_IN_PLACE, sendtypes may be anything, even no array.
  const void* send = to_c(sendbuf);
  const auto send_types = types_in_c(sendtypes, send == MPI_IN_PLACE ? 0 : ranks);
  const auto receive_types = types_in_c(recvtypes, ranks);
  finish(arguments_of<Arguments>(send, ints(sendcounts), ints(sdispls), send_types.data(),
                                 to_c(recvbuf), ints(recvcounts), ints(rdispls),
                                 receive_types.data(), c_comm),
         call, last...);
}

/// The displacements are addresses in Fortran too.
template <MpiCall call, class... Last>
void typed_on_edges(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Aint* sdispls,
                    const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
                    const MPI_Aint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
                    Last... last) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const EdgeCounts edges = edge_counts(c_comm);
  const auto send_types = types_in_c(sendtypes, edges.to);
  const auto receive_types = types_in_c(recvtypes, edges.from);
  finish(arguments_of<buffers::NeighborAlltoallw>(
             to_c(sendbuf), ints(sendcounts), sdispls, send_types.data(), to_c(recvbuf),
             ints(recvcounts), rdispls, receive_types.data(), c_comm),
         call, last...);
}

}  // namespace

}  // namespace fortran

void add_fortran(Part& part) {
  using namespace buffers;
  using fortran::typed, fortran::typed_on_edges, fortran::uniform, fortran::vector;
  using Fint = MPI_Fint*;
  part.fortran_scope = fortran::find_sentinels;
  // If Fortran's integers are not C's, its exchanges are left to the MPI library.
  if constexpr (sizeof(MPI_Fint) != sizeof(int)) return;
  const auto replace = [&](MpiCall call, Function function) {
    part.fortran[index(call)] = function;
  };
  replace(MpiCall::Alltoall, untyped(uniform<Alltoall, MpiCall::Alltoall, Fint>));
  replace(MpiCall::Alltoallv, untyped(vector<Alltoallv, MpiCall::Alltoallv, Fint>));
  replace(MpiCall::Alltoallw, untyped(typed<Alltoallw, MpiCall::Alltoallw, Fint>));
  replace(MpiCall::Neighbor_alltoall,
          untyped(uniform<NeighborAlltoall, MpiCall::Neighbor_alltoall, Fint>));
  replace(MpiCall::Neighbor_alltoallv,
          untyped(vector<NeighborAlltoallv, MpiCall::Neighbor_alltoallv, Fint>));
  replace(MpiCall::Neighbor_alltoallw, untyped(typed_on_edges<MpiCall::Neighbor_alltoallw, Fint>));
  if (!mpi::has_progress_hook()) return;
  replace(MpiCall::Ialltoall, untyped(uniform<Alltoall, MpiCall::Ialltoall, Fint, Fint>));
  replace(MpiCall::Ialltoallv, untyped(vector<Alltoallv, MpiCall::Ialltoallv, Fint, Fint>));
  replace(MpiCall::Ialltoallw, untyped(typed<Alltoallw, MpiCall::Ialltoallw, Fint, Fint>));
  replace(MpiCall::Ineighbor_alltoall,
          untyped(uniform<NeighborAlltoall, MpiCall::Ineighbor_alltoall, Fint, Fint>));
  replace(MpiCall::Ineighbor_alltoallv,
          untyped(vector<NeighborAlltoallv, MpiCall::Ineighbor_alltoallv, Fint, Fint>));
  replace(MpiCall::Ineighbor_alltoallw,
          untyped(typed_on_edges<MpiCall::Ineighbor_alltoallw, Fint, Fint>));
}

}  // namespace rondo::dropin
