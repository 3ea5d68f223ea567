// Which ranks are on which node, and in which order blocks go straight to their ranks, between nodes and inside
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::schedule {

/// Nodes are 0..N-1, in ascending order of the numbers in the constructor's argument. The ranks of
/// a node, in ascending order, have the local numbers 0, 1, ... The node-major positions 0..P-1 are
/// the ranks of node 0, then the ranks of node 1, and so on.
class NodeMap {
 public:
  /// `node_of_rank` may contain any numbers. Nodes may have any sizes, which may differ.
  explicit NodeMap(std::span<const int> node_of_rank);

  int ranks() const { return static_cast<int>(rank_at_.size()); }
  int nodes() const { return static_cast<int>(first_.size()) - 1; }

  int node_of(int rank) const { return node_of_[index(rank)]; }
  int local_of(int rank) const { return position_of(rank) - first(node_of(rank)); }
  int position_of(int rank) const { return position_of_[index(rank)]; }
  int rank_at(int position) const { return rank_at_[index(position)]; }

  std::span<const int> by_position() const { return rank_at_; }

  int size(int node) const { return first_[index(node) + 1] - first(node); }
  /// Returns the position of the node's first rank; for `node` = N, the number of ranks.
  int first(int node) const { return first_[index(node)]; }
  int rank_of(int node, int local) const { return rank_at(first(node) + local); }

  /// The greatest common divisor, the smallest and the largest of the node sizes.
  int common_size() const { return common_size_; }
  int smallest_size() const { return smallest_size_; }
  int largest_size() const { return largest_size_; }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  std::vector<int> node_of_;      ///< by rank
  std::vector<int> position_of_;  ///< by rank
  std::vector<int> rank_at_;      ///< by position
  std::vector<int> first_;        ///< by node, and P at the end
  int common_size_ = 0;
  int smallest_size_ = 0;
  int largest_size_ = 0;
};

/// Returns for every rank the lowest one with the same number, by which the ranks of a node know each other.
inline std::vector<int> lowest_with_same(std::span<const std::uint64_t> numbers) {
  std::unordered_map<std::uint64_t, int> lowest;
  std::vector<int> nodes;
  for (const std::uint64_t number : numbers)
    nodes.push_back(lowest.try_emplace(number, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

inline NodeMap::NodeMap(std::span<const int> node_of_rank)
    : node_of_(node_of_rank.size()),
      position_of_(node_of_rank.size()),
      rank_at_(node_of_rank.size()) {
  std::iota(rank_at_.begin(), rank_at_.end(), 0);
  const auto number = [&](int rank) { return node_of_rank[index(rank)]; };
  // Ranks are mostly placed node after node, and models ask for maps of a million.
  if (!std::ranges::is_sorted(node_of_rank)) std::ranges::stable_sort(rank_at_, {}, number);
  for (int position = 0; position < ranks(); ++position) {
    const int rank = rank_at(position);
    if (position == 0 || number(rank) != number(rank_at(position - 1))) first_.push_back(position);
    position_of_[index(rank)] = position;
    node_of_[index(rank)] = static_cast<int>(first_.size()) - 1;
  }
  first_.push_back(ranks());
  smallest_size_ = ranks();
  for (int node = 0; node < nodes(); ++node) {
    common_size_ = std::gcd(common_size_, size(node));
    smallest_size_ = std::min(smallest_size_, size(node));
    largest_size_ = std::max(largest_size_, size(node));
  }
}

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
