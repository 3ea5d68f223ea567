#include "schedule/node_map.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::schedule {

NodeMap::NodeMap(std::span<const int> node_of_rank)
    : node_of_(node_of_rank.size()),
      position_of_(node_of_rank.size()),
      rank_at_(node_of_rank.size()) {
  std::iota(rank_at_.begin(), rank_at_.end(), 0);
  const auto number = [&](int rank) { return node_of_rank[index(rank)]; };
  std::ranges::stable_sort(rank_at_, {}, number);
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
