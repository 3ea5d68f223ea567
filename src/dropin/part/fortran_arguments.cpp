#include "dropin/part/fortran_arguments.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>

namespace rondo::dropin::fortran {

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

template <class Address>
Address converted(Address buffer) {
  if (buffer == nullptr) return buffer;
  if (g_in_place.is(buffer)) return MPI_IN_PLACE;
  return g_bottom.is(buffer) ? static_cast<Address>(MPI_BOTTOM) : buffer;
}

}  // namespace

void find_sentinels(void* scope) {
  g_in_place.find(scope);
  g_bottom.find(scope);
}

const void* to_c(const void* buffer) {
  return converted(buffer);
}

void* to_c(void* buffer) {
  return converted(buffer);
}

std::vector<MPI_Datatype> types_in_c(const MPI_Fint* types, int count) {
  std::vector<MPI_Datatype> out(static_cast<std::size_t>(count));
  std::transform(types, types + count, out.begin(), [](MPI_Fint t) { return PMPI_Type_f2c(t); });
  return out;
}

int peers(MPI_Comm comm) {
  int is_inter = 0;
  int ranks = 0;
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  const int code = is_inter ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
  return code == MPI_SUCCESS ? ranks : 0;
}

}  // namespace rondo::dropin::fortran
