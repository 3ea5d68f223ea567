// Which nodes stand for others.
#include "simulate/peers.hpp"

#include "simulate/lengths.hpp"

namespace rondo::simulate {

namespace {

/// A node stands for its own peers only if there is no other.
std::vector<int> drawn_offsets(int nodes, int simulated, std::uint64_t seed) {
  std::vector<int> offsets{0};
  const auto others = static_cast<std::uint64_t>(simulated - 1);
  for (std::uint64_t distance = 1; distance < static_cast<std::uint64_t>(nodes); ++distance) {
    const std::uint64_t bits = random_bits(mix(seed), distance);
    offsets.push_back(others == 0 ? 0 : 1 + static_cast<int>(bits % others));
  }
  return offsets;
}

}  // namespace

Peers::Peers(const Stage& stage, const choice::Layout& layout, std::uint64_t seed)
    : stands_alone_(stage.simulated == 1),
      leaves_(layout.per_node != layout.ranks),
      per_node_(layout.per_node),
      nodes_(layout.nodes),
      simulated_(stage.nodes()) {
  for (int rank = 0; rank < layout.ranks; ++rank) node_of_.push_back(rank / per_node_);
  if (!stands_alone_ && simulated_ < nodes_) offsets_ = drawn_offsets(nodes_, simulated_, seed);
}

}  // namespace rondo::simulate
