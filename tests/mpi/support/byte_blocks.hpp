// Blocks of bytes, one for every peer, one behind the other.
#pragma once

#include <vector>

#include "support/calls.hpp"

namespace rondo::testing {

/// One side of an exchange, but for its buffer.
struct ByteBlocks {
  /// `length(peer)` is a block's; behind each are `gap` bytes.
  template <class Length>
  ByteBlocks(int ranks, std::size_t gap, Length&& length)
      : types(static_cast<std::size_t>(ranks), MPI_BYTE) {
    for (int peer = 0; peer < ranks; ++peer) {
      counts.push_back(static_cast<int>(length(peer)));
      displacements.push_back(static_cast<int>(bytes));
      bytes += static_cast<std::size_t>(counts.back()) + gap;
    }
  }

  Arguments arguments(void* buffer) const {
    return {buffer, counts.data(), displacements.data(), types.data()};
  }

  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;
  std::size_t bytes = 0;  ///< of all, with the gaps
};

}  // namespace rondo::testing
