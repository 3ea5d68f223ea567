#include "support/library_defects.hpp"

#include <rondo/rondo.h>

namespace rondo::testing {

#ifdef MPICH_VERSION
namespace {

/// Elements side by side without gaps; null stands for mixed types.
bool is_plain(const TypeRow* types) {
  if (types == nullptr || types->absolute) return false;
  const ElementType& type = *types->receive;
  return type.runs.size() == 1 && type.runs[0].offset == 0 &&
         type.extent == static_cast<std::ptrdiff_t>(type.size());
}

}  // namespace
#endif

const char* library_defect([[maybe_unused]] const Case& which, [[maybe_unused]] int ranks) {
#ifdef OPEN_MPI
  if (which.algorithm != "mpi") return nullptr;
  if (which.collective == Collective::alltoallw && ranks == 1 && !which.is_in_place)
    return "Open MPI's MPI_Alltoallw on one rank takes displacements in elements (coll/self)";
  constexpr int kBruckRanks = 12;  // from here on coll/tuned uses it for small blocks
  if (which.collective != Collective::alltoall || ranks < kBruckRanks || which.types == nullptr)
    return nullptr;
  if (which.types->absolute) return "Open MPI's Bruck adds absolute addresses to its own buffers";
  if (which.types->send != which.types->receive)
    return "Open MPI's Bruck moves the send buffer as elements of the receive type";
#elif defined(MPICH_VERSION)
  const bool may_forward = which.algorithm == "mpi" || which.algorithm == "auto";
  if (may_forward && which.is_in_place && !is_plain(which.types))
    return "MPICH's own exchange in place truncates, or crashes, on long blocks of derived types";
#endif
  return nullptr;
}

}  // namespace rondo::testing
