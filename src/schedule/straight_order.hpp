// In which order blocks go straight to their ranks, between nodes and inside them.
#pragma once

#include <cstdint>

#include "schedule/node_map.hpp"

namespace rondo::schedule {

/// Returns the step, 0 .. N x (size of the largest node) - 1, at which the block from `source` to
/// `destination` has its turn. Both ranks send and receive in ascending order of the steps.
///
/// At each step, the ranks of a node send to as many different nodes as there are, each rank to the
/// node after that of the rank before it. If all sent to one node, its link would be busy while others
/// are idle. A rank has a different step for each destination. If all nodes have the same size, it also
/// has a different step for each source, so at every step it sends and receives at most one block.
///
/// Ranks that keep a window of messages in flight, each in this order, do not deadlock. Take the
/// unfinished messages with the lowest step, and of these one that comes first at its receiver. It also
/// comes first at its sender, whose steps all differ. So both have posted it.
inline std::int64_t straight_step(const NodeMap& map, int source, int destination) {
  const auto modulo = [](int number, int size) { return (number % size + size) % size; };
  const int to = map.node_of(destination);
  const int local = map.local_of(source);
  const int turn = modulo(to - map.node_of(source) - local, map.nodes());
  const int place = modulo(map.local_of(destination) - local, map.size(to));
  return std::int64_t{place} * map.nodes() + turn;
}

}  // namespace rondo::schedule
