// Schedules counted: folds over their rounds.
#pragma once

#include <cstdint>

#include "model/work.hpp"
#include "registry/handling.hpp"
#include "schedule/node_schedule.hpp"
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

/// How blocks go through the rounds of a schedule.
struct Carriage {
  registry::Handling handling;
  double block_bytes;  ///< of a block under way, on average
  int ports;           ///< rounds of a phase in flight together
};

/// How many of a node's ranks have their message of this hop leave the node. All nodes are alike.
int crossing(const schedule::Group& group, const Nodes& nodes, int hop);

/// The rounds alone, without what is copied before and after them. Costs O(rounds).
///
/// In a batch, as many of a rank's messages leave its node as do on average over the ranks, rounded
/// up: the slowest rank has no fewer.
Work work_of_rounds(const schedule::Schedule& schedule, const Nodes& nodes,
                    const Carriage& carriage);

/// A message of so many bytes to and from the rank 1 above, 2 above, 4 above and so on, one after the
/// other, as in an allreduce or a barrier.
Work work_of_doubling(const Nodes& nodes, double bytes);

/// A share of a rank's blocks, its own among them: straight to all ranks, of which `per_node` are
/// on its node, in one batch.
Work work_of_straight(int ranks, int per_node, double share, double mean_bytes);

/// Blocks of `mean_bytes` between the ranks of a node of `ranks`: each writes the others' cells and
/// copies what it has for them in and what they have for it out.
Work work_in_node(int ranks, double mean_bytes);

/// The blocks for other nodes: published, carried, and copied from where they landed. Counts what
/// the busiest rank of the largest node does. Costs O(rounds x lanes).
Work work_between_nodes(const schedule::NodeSchedule& schedule, const registry::Handling& handling,
                        double mean_bytes);

}  // namespace rondo::model
