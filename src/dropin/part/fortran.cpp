// MPI's exchanges as Fortran calls them. Open MPI's Fortran functions call the PMPI_ functions of
// C, where Rondo cannot see the call. Those of MPICH and of the standard ABI call the MPI_
// functions.

#include <mpi.h>

#include "dropin/part/exchange.hpp"

#ifdef OPEN_MPI

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace rondo::dropin {

namespace fortran {

namespace {

/// The addresses of one of Fortran's constants. The constant is a common block whose spelling
/// depends on the Fortran compiler. A program and a library that it loads may each have one.
class Sentinel {
 public:
  constexpr explicit Sentinel(const char* const (&spellings)[4]) : spellings_(spellings) {}

  void find(void* scope) {
    for (const char* spelling : spellings_)
      if (const void* address = dlsym(scope == nullptr ? RTLD_DEFAULT : scope, spelling))
        add(address);
  }

  bool is(const void* address) const {
    return std::ranges::any_of(addresses_, [&](const auto& known) { return known == address; });
  }

 private:
  /// Stores the address in the first free place. Several threads may do this at the same time.
  void add(const void* address) {
    for (auto& place : addresses_) {
      const void* taken = nullptr;
      if (place.compare_exchange_strong(taken, address) || taken == address) return;
    }
  }

  const char* const (&spellings_)[4];
  std::atomic<const void*> addresses_[16] = {};
};

constexpr const char* kInPlaceSpellings[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place",
                                             "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"};
constexpr const char* kBottomSpellings[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom",
                                            "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"};
constinit Sentinel g_in_place(kInPlaceSpellings);
constinit Sentinel g_bottom(kBottomSpellings);

/// Converts a buffer argument from Fortran to C.
template <class Address>
Address to_c(Address buffer) {
  if (buffer == nullptr) return buffer;
  if (g_in_place.is(buffer)) return MPI_IN_PLACE;
  return g_bottom.is(buffer) ? static_cast<Address>(MPI_BOTTOM) : buffer;
}

/// In mpi_f08 the argument ierror is optional.
void set_error(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

/// The number of ranks that a rank exchanges with on `comm`.
int peers(MPI_Comm comm) {
  int is_inter = 0;
  int ranks = 0;
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  const int code = is_inter ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
  return code == MPI_SUCCESS ? ranks : 0;
}

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

/// Counts are used in place: see add_fortran.
const int* ints(const MPI_Fint* numbers) {
  return reinterpret_cast<const int*>(numbers);
}

std::vector<MPI_Datatype> types_in_c(const MPI_Fint* types, int count) {
  std::vector<MPI_Datatype> out(static_cast<std::size_t>(count));
  std::transform(types, types + count, out.begin(), [](MPI_Fint t) { return PMPI_Type_f2c(t); });
  return out;
}

/// See Part::fortran_scope.
void find_sentinels(void* scope) {
  g_in_place.find(scope);
  g_bottom.find(scope);
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
    part.fortran[index(MpiCall::Neighbor_alltoall)] = untyped(fortran::neighbor_alltoall);
    part.fortran[index(MpiCall::Neighbor_alltoallv)] = untyped(fortran::neighbor_alltoallv);
    part.fortran[index(MpiCall::Neighbor_alltoallw)] = untyped(fortran::neighbor_alltoallw);
  }
}

}  // namespace rondo::dropin

#else

void rondo::dropin::add_fortran(Part& part) {
  part.fortran_reaches_c = true;
}

#endif
