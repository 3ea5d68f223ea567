// Which ranks are on which node.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
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

}  // namespace rondo::schedule
