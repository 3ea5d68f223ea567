// Proof that a NodeMap is right.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/node_map.hpp"

namespace rondo::schedule {

/// All answers of a NodeMap, in tables that tests of the checker can change.
struct NodeMapTable {
  std::vector<int> node_of;               ///< by rank
  std::vector<int> local_of;              ///< by rank
  std::vector<int> position_of;           ///< by rank
  std::vector<int> rank_at;               ///< by position
  std::vector<int> size;                  ///< by node
  std::vector<int> first;                 ///< by node, and at N
  std::vector<std::vector<int>> rank_of;  ///< by node and local number
  int common_size = 0;
  int smallest_size = 0;
  int largest_size = 0;
};

NodeMapTable table_of(const NodeMap& map);

/// Proves that `map` belongs to ranks on nodes with the numbers `node_of_rank`: positions are a
/// permutation, nodes ascend by number, ranks ascend within a node, and all answers agree. Returns the
/// first violation, or an empty text. Costs O(P).
std::string check_node_map(const NodeMap& map, std::span<const int> node_of_rank);
std::string check_node_map(const NodeMapTable& map, std::span<const int> node_of_rank);

}  // namespace rondo::schedule
