// Work in closed form: schedules and messages that need not be counted round by round.
#pragma once

#include <cstdint>

#include "model/work.hpp"
#include "schedule/schedule.hpp"

namespace rondo::model {

/// K: messages that a rank sends.
std::int64_t rounds(const schedule::Schedule& schedule);

/// D: blocks that a rank sends over all rounds.
std::int64_t blocks(const schedule::Schedule& schedule);

/// Positions on equal nodes, node after node.
struct Nodes {
  int nodes;
  int per_node;
};

/// How many ranks of a node send their message of this hop to another node. All nodes are alike.
int crossing(const schedule::Group& group, const Nodes& nodes, int hop);

/// A message of so many bytes to the rank 1 above, 2 above, 4 above and so on, one after another, as
/// in an allreduce or a barrier.
Work work_of_doubling(const Nodes& nodes, double bytes);

/// A message to a share of the other ranks, all in one batch. `per_node` ranks are on a node.
Work work_of_straight(int ranks, int per_node, double share, double mean_bytes);

}  // namespace rondo::model
