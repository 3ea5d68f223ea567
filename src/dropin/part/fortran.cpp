// MPI's exchanges as Fortran calls them, for Open MPI. Its Fortran functions call the PMPI_ functions
// of C, where Rondo cannot see the call.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "dropin/part/exchange.hpp"
#include "dropin/part/start.hpp"

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

/// Finds MPI_IN_PLACE and MPI_BOTTOM of a caller; see Part::fortran_scope.
void find_sentinels(void* scope) {
  g_in_place.find(scope);
  g_bottom.find(scope);
}

/// Converts a buffer argument.
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

/// Counts are used in place: see add_fortran.
const int* ints(const MPI_Fint* numbers) {
  return reinterpret_cast<const int*>(numbers);
}
const MPI_Aint* ints(const MPI_Aint* addresses) {
  return addresses;
}

std::vector<MPI_Datatype> types_in_c(const MPI_Fint* types, int count) {
  std::vector<MPI_Datatype> out(static_cast<std::size_t>(count));
  std::transform(types, types + count, out.begin(), [](MPI_Fint t) { return PMPI_Type_f2c(t); });
  return out;
}

/// The number of ranks that a rank exchanges with on `comm`.
int peers(MPI_Comm comm) {
  int is_inter = 0;
  int ranks = 0;
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  const int code = is_inter ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
  return code == MPI_SUCCESS ? ranks : 0;
}

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
  finish(Arguments{to_c(sendbuf), *ints(sendcount), PMPI_Type_f2c(*sendtype), to_c(recvbuf),
                   *ints(recvcount), PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)},
         call, last...);
}

template <class Arguments, MpiCall call, class... Last>
void vector(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
            const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
            const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm, Last... last) {
  finish(Arguments{to_c(sendbuf), ints(sendcounts), ints(sdispls), PMPI_Type_f2c(*sendtype),
                   to_c(recvbuf), ints(recvcounts), ints(rdispls), PMPI_Type_f2c(*recvtype),
                   PMPI_Comm_f2c(*comm)},
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
  finish(Arguments{send, ints(sendcounts), ints(sdispls), send_types.data(), to_c(recvbuf),
                   ints(recvcounts), ints(rdispls), receive_types.data(), c_comm},
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
