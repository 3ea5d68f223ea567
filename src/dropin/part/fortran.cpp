// MPI's exchanges as Fortran calls them, for Open MPI. Its Fortran functions call the PMPI_ functions
// of C, where Rondo cannot see the call.

#include <mpi.h>

#include <type_traits>

#include "dropin/part/exchange.hpp"
#include "dropin/part/fortran_arguments.hpp"
#include "dropin/part/start.hpp"

namespace rondo::dropin {

namespace fortran {

namespace {

/// How many blocks a rank sends and receives.
struct BlockCounts {
  int send = 0;
  int receive = 0;
};

/// Without a topology a neighbourhood exchange has no blocks, and the MPI library rejects the call.
template <class Arguments>
BlockCounts block_counts(const void* send_buffer, MPI_Comm comm) {
  if constexpr (kIsOnEdges<Arguments>) {
    try {
      const communicator::Topology topology = communicator::read_topology(comm);
      return {topology.to.count(), topology.from.count()};
    } catch (const Error&) {
      return {};
    }
  } else {
    const int ranks = peers(comm);
    // With MPI_IN_PLACE, sendtypes may be anything, even no array.
    return {send_buffer == MPI_IN_PLACE ? 0 : ranks, ranks};
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

/// Displacements of MPI_Alltoallw are integers, and those of MPI_Neighbor_alltoallw are addresses in Fortran too.
template <class Arguments>
using Displacement = std::conditional_t<kIsOnEdges<Arguments>, MPI_Aint, MPI_Fint>;

/// The types in C are not needed after a start, as Open MPI's own function assumes, too.
template <class Arguments, MpiCall call, class... Last>
void typed(const void* sendbuf, const MPI_Fint* sendcounts, const Displacement<Arguments>* sdispls,
           const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
           const Displacement<Arguments>* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
           Last... last) {
  const MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
  const void* send = to_c(sendbuf);
  const BlockCounts blocks = block_counts<Arguments>(send, c_comm);
  const auto send_types = types_in_c(sendtypes, blocks.send);
  const auto receive_types = types_in_c(recvtypes, blocks.receive);
  finish(arguments_of<Arguments>(send, ints(sendcounts), ints(sdispls), send_types.data(),
                                 to_c(recvbuf), ints(recvcounts), ints(rdispls),
                                 receive_types.data(), c_comm),
         call, last...);
}

}  // namespace

}  // namespace fortran

void add_fortran(Part& part) {
  using namespace buffers;
  using fortran::typed, fortran::uniform, fortran::vector;
  using Fint = MPI_Fint*;
  part.fortran_scope = fortran::find_sentinels;
  // If Fortran's integers are not C's, its exchanges are left to the MPI library.
  if constexpr (sizeof(MPI_Fint) != sizeof(int)) return;
  const bool starts_are_ours = mpi::has_progress_hook();
#define RONDO_EXCHANGE(Arguments, Call, Start, Shape, ...)                             \
  part.fortran[index(MpiCall::Call)] = untyped(Shape<Arguments, MpiCall::Call, Fint>); \
  if (starts_are_ours)                                                                 \
    part.fortran[index(MpiCall::Start)] = untyped(Shape<Arguments, MpiCall::Start, Fint, Fint>);
#define RONDO_LARGE_EXCHANGE(...)
#include "buffers/exchanges.def"
}

}  // namespace rondo::dropin
