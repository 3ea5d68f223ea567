#include "check_node_map.hpp"

#include <algorithm>
#include <numeric>

#include "schedule/check.hpp"

namespace rondo::schedule {

namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

int ranks_of(const NodeMapTable& map) {
  return static_cast<int>(map.position_of.size());
}

int nodes_of(const NodeMapTable& map) {
  return static_cast<int>(map.size.size());
}

/// position_of() has an inverse, so it is a permutation.
void check_positions(const NodeMapTable& map) {
  for (int rank = 0; rank < ranks_of(map); ++rank) {
    const int position = map.position_of[index(rank)];
    require(position >= 0 && position < ranks_of(map), "position_of(", rank, ") is ", position);
    require(map.rank_at[index(position)] == rank, "rank_at(", position, ") is not ", rank);
  }
}

void check_sizes(const NodeMapTable& map) {
  int common = 0;
  int smallest = ranks_of(map);
  int largest = 0;
  int next = 0;
  for (int node = 0; node < nodes_of(map); ++node) {
    const int size = map.size[index(node)];
    require(size >= 1, "node ", node, " has ", size, " ranks");
    require(map.first[index(node)] == next, "first(", node, ") is not ", next);
    next += size;
    common = std::gcd(common, size);
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  require(map.first.back() == next && next == ranks_of(map), "sizes sum up to ", next, " and ",
          map.first.back(), ", not to ", ranks_of(map));
  require(map.common_size == common, "common_size() is not ", common);
  require(map.smallest_size == smallest, "smallest_size() is not ", smallest);
  require(map.largest_size == largest, "largest_size() is not ", largest);
}

void check_places(const NodeMapTable& map) {
  for (int node = 0; node < nodes_of(map); ++node)
    for (int local = 0; local < map.size[index(node)]; ++local) {
      const int rank = map.rank_at[index(map.first[index(node)] + local)];
      require(map.node_of[index(rank)] == node, "node_of(", rank, ") is not ", node);
      require(map.local_of[index(rank)] == local, "local_of(", rank, ") is not ", local);
      require(map.rank_of[index(node)][index(local)] == rank, "rank_of(", node, ", ", local,
              ") is not ", rank);
    }
}

void check_order(const NodeMapTable& map, std::span<const int> number) {
  for (int position = 1; position < ranks_of(map); ++position) {
    const int rank = map.rank_at[index(position)];
    const int before = map.rank_at[index(position - 1)];
    const bool starts = map.local_of[index(rank)] == 0;
    require(starts || before < rank, "ranks ", before, " and ", rank, " do not ascend");
    require(starts ? number[index(before)] < number[index(rank)]
                   : number[index(before)] == number[index(rank)],
            "ranks ", before, " and ", rank, starts ? " start a node" : " share a node",
            " with numbers ", number[index(before)], " and ", number[index(rank)]);
  }
}

}  // namespace

NodeMapTable table_of(const NodeMap& map) {
  NodeMapTable table;
  table.common_size = map.common_size();
  table.smallest_size = map.smallest_size();
  table.largest_size = map.largest_size();
  for (int rank = 0; rank < map.ranks(); ++rank) {
    table.node_of.push_back(map.node_of(rank));
    table.local_of.push_back(map.local_of(rank));
    table.position_of.push_back(map.position_of(rank));
    table.rank_at.push_back(map.rank_at(rank));
  }
  for (int node = 0; node < map.nodes(); ++node) {
    table.size.push_back(map.size(node));
    auto& ranks = table.rank_of.emplace_back();
    for (int local = 0; local < map.size(node); ++local) ranks.push_back(map.rank_of(node, local));
  }
  for (int node = 0; node <= map.nodes(); ++node) table.first.push_back(map.first(node));
  return table;
}

std::string check_node_map(const NodeMapTable& map, std::span<const int> node_of_rank) try {
  require(map.position_of.size() == node_of_rank.size(), "it has ", map.position_of.size(),
          " ranks, not ", node_of_rank.size());
  check_positions(map);
  check_sizes(map);
  check_places(map);
  check_order(map, node_of_rank);
  return {};
} catch (const Violation& violation) {
  return violation.what();
}

std::string check_node_map(const NodeMap& map, std::span<const int> node_of_rank) {
  return check_node_map(table_of(map), node_of_rank);
}

}  // namespace rondo::schedule
