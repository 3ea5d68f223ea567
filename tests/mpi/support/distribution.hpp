// How many bytes each rank sends to each other rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::testing {

struct Pair {
  int source;
  int destination;
  int ranks;
};

struct Distribution {
  const char* name;
  std::size_t bytes;  ///< what the rule makes of it, as a rule the largest block
  std::size_t (*rule)(std::size_t bytes, Pair pair, std::uint64_t seed);

  std::size_t operator()(Pair pair, std::uint64_t seed) const { return rule(bytes, pair, seed); }
};

/// For alltoallv and alltoallw.
std::span<const Distribution> distributions();

/// For alltoall: one length for all pairs.
std::span<const Distribution> uniform_distributions();

/// `from` made symmetric, as MPI_IN_PLACE needs it: a pair counts as the one from its lower rank.
inline Pair lower_first(Pair pair) {
  return pair.source <= pair.destination ? pair : Pair{pair.destination, pair.source, pair.ranks};
}

}  // namespace rondo::testing
