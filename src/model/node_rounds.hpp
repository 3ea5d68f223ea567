// The work of an exchange through the memory of the nodes: a fold over a NodeSchedule.
#pragma once

#include "model/work.hpp"
#include "registry/handling.hpp"
#include "schedule/node_schedule.hpp"

namespace rondo::model {

/// Blocks of `mean_bytes` between the ranks of a node of `ranks`: each writes the others' cells and
/// copies what it has for them in and what they have for it out.
Work work_in_node(int ranks, double mean_bytes);

/// The blocks for other nodes: published, carried, and copied from where they landed. Counts what
/// the busiest rank of the largest node does. Costs O(rounds x lanes).
Work work_between_nodes(const schedule::NodeSchedule& schedule, const registry::Handling& handling,
                        double mean_bytes);

}  // namespace rondo::model
