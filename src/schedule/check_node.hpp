// Proof that a schedule between nodes is right, without MPI and without running it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "schedule/node_map.hpp"
#include "schedule/node_schedule.hpp"
#include "schedule/schedule.hpp"

namespace rondo::schedule {

/// What check_node() found. The counts cover what was walked before a violation, all of it when
/// ok().
struct NodeReport {
  std::string violation;      ///< the first thing that is wrong, with its numbers; empty when ok()
  std::int64_t rounds = 0;    ///< K, of every lane
  std::int64_t messages = 0;  ///< between nodes, in all
  std::int64_t blocks = 0;  ///< D in all: blocks between ranks, once for every message they are in

  bool ok() const { return violation.empty(); }
};

/// What a NodeSchedule answers, taken apart, so that tests of the checker can spoil one answer.
struct NodeRules {
  NodeMap map;
  Between how;
  int lanes;
  Schedule between;
  std::function<int(int node, int round, int lane)> leader;
  std::function<NodeSchedule::Share(int node, int lane)> share;
};

NodeRules rules_of(const NodeSchedule& schedule);

/// Prove that `schedule` brings every block between ranks of different nodes to its node:
/// - the shares of the lanes of a node partition its ranks;
/// - every leader is a rank of its node, and nobody sends to itself;
/// - what is under way is sent on by the rank that received it; only blocks that have not left
///   their node, or have landed on that of their destination, are in memory that a node shares;
/// - every block lands, does not move afterwards, and moves at most once in a phase;
/// - directly, blocks land with their first message, of which there is one for every ordered pair
///   of nodes and lane, and the messages that two ranks of a node send differ by at most one;
/// - with bruck, no rank carries two lanes while another of its node carries none.
/// Costs O(P^2 + D).
///
/// Takes for granted that the views of a BlockSet and the hops of between() agree, which
/// check(between()) proves, and that the NodeMap is right, which check_node_map() proves.
NodeReport check_node(const NodeSchedule& schedule);
NodeReport check_node(const NodeRules& rules);

/// All that a NodeMap answers, in tables that tests of the checker can spoil.
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

/// Prove that `map` is the one of ranks on nodes with the numbers `node_of_rank`: positions are a
/// permutation, nodes ascend in their numbers and ranks ascend on a node, and all answers agree.
/// Returns the first violation, or nothing. Costs O(P).
std::string check_node_map(const NodeMap& map, std::span<const int> node_of_rank);
std::string check_node_map(const NodeMapTable& map, std::span<const int> node_of_rank);

}  // namespace rondo::schedule
