// Who has sent to a rank in a sparse exchange, and how much. The arrays are Rondo's, and are kept from
// call to call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace rondo::buffers {

/// The sources in the order of their ranks. The arrays have at least one entry, so that they are
/// never null.
template <class Count, class Displacement>
struct Sources {
  std::vector<int> ranks;
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
  std::vector<std::uint64_t> lengths;  ///< in bytes

  void resize(std::size_t size) {
    const std::size_t entries = size == 0 ? 1 : size;
    ranks.assign(entries, 0);
    counts.assign(entries, 0);
    displacements.assign(entries, 0);
    lengths.assign(entries, 0);
  }
};

/// The arrays of a communicator: for calls with int counts, and for those with large ones.
struct SparseArrays {
  std::tuple<Sources<int, int>, Sources<MPI_Count, MPI_Aint>> sources;
  std::vector<int> sorted;  ///< destinations
};

}  // namespace rondo::buffers
