// How much goes from each rank to each other in a dynamic exchange.
#pragma once

#include <cstdint>
#include <span>

namespace rondo::testing {

/// How many pairs of ints go from a rank to a rank, alike on all ranks.
struct Traffic {
  const char* name;
  int (*pairs)(std::uint64_t seed, int source, int destination, int ranks);
};

std::span<const Traffic> traffics();
/// Those, and more with few partners.
std::span<const Traffic> sparse_traffics();

const Traffic& named_traffic(const char* name);

}  // namespace rondo::testing
