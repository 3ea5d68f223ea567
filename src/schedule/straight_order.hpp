// In which order blocks go straight to their ranks, between nodes and inside them.
#pragma once

#include <cstdint>

#include "schedule/node_map.hpp"

namespace rondo::schedule {

/// Returns the step, 0 .. N x (size of the largest node) - 1, at which the block from `source` to
/// `destination` has its turn. Both ranks send and receive in ascending order of the steps.
///
/// At each step, the ranks of a node aim at as many different nodes as there are, the next rank at the
/// next node: not all ranks at one, which would receive by a single link while others have nothing to
/// do. A rank has another step for each destination. If nodes have equal sizes, it also has another
/// one for each source: at every step it sends one block and receives one, at most.
///
/// Ranks that keep a window of messages in flight, each in this order, cannot wait for each other in
/// a circle: of all messages that are not done, one with the lowest step is the first that both its
/// sender and its receiver wait for.
inline std::int64_t straight_step(const NodeMap& map, int source, int destination) {
  const auto modulo = [](int number, int size) { return (number % size + size) % size; };
  const int to = map.node_of(destination);
  const int local = map.local_of(source);
  const int turn = modulo(to - map.node_of(source) - local, map.nodes());
  const int place = modulo(map.local_of(destination) - local, map.size(to));
  return std::int64_t{place} * map.nodes() + turn;
}

}  // namespace rondo::schedule
