// Between which simulated ranks a message goes.
#pragma once

#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "schedule/schedule.hpp"
#include "simulate/network.hpp"

namespace rondo::simulate {

/// If not all nodes are simulated, those that are stand for the others: what goes to the node some distance away goes
/// to another distance instead, the same for all nodes. So every rank receives as many messages as it sends, as it does
/// if all are simulated.
class Peers {
 public:
  Peers(const Stage& stage, const choice::Layout& layout, std::uint64_t seed);

  Way way(int source, int destination) const {
    if (stands_alone_) return {0, 0, leaves_};
    const int own = node_of(source);
    const int node = node_of(destination);
    if (offsets_.empty()) return {source, destination, node != own};
    const int to = after(own, offset(node - own));
    return {source, destination + (to - node) * per_node_, node != own};
  }

  Way way(int source, int hop, const schedule::Group& group) const {
    const int destination = group.add(source, hop);
    if (!group.is_exclusive_or() || offsets_.empty()) return way(source, destination);
    return {source, exclusive_peer(source, destination), node_of(source) != node_of(destination)};
  }

  /// The simulated rank from which this hop leads to `rank`.
  int source_of(int rank, int hop, const schedule::Group& group) const {
    const int source = group.subtract(rank, hop);
    if (stands_alone_ || offsets_.empty()) return source;
    if (group.is_exclusive_or()) return exclusive_peer(rank, source);
    const int own = node_of(rank);
    const int node = node_of(source);
    return source + (after(own, simulated_ - offset(own - node)) - node) * per_node_;
  }

 private:
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }

  int offset(int distance) const {
    return offsets_[static_cast<std::size_t>(distance < 0 ? distance + nodes_ : distance)];
  }

  int after(int node, int offset) const {
    const int sum = node + offset;
    return sum >= simulated_ ? sum - simulated_ : sum;
  }

  int exclusive_peer(int rank, int other) const {
    const int own = node_of(rank);
    const int node = node_of(other);
    return other + ((own ^ offset(own ^ node)) - node) * per_node_;
  }

  bool stands_alone_;  ///< one rank represents all
  bool leaves_;        ///< its messages go to other nodes
  int per_node_;
  int nodes_;
  int simulated_;             ///< nodes, a power of two if not all
  std::vector<int> node_of_;  ///< by rank
  std::vector<int> offsets_;  ///< by distance of two nodes; empty if all are simulated
};

}  // namespace rondo::simulate
