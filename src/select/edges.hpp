// Which algorithm `auto` chooses for a neighbourhood exchange. Its cost depends on the topology and not
// only on the layout, so no table has it.
#pragma once

#include <string>

#include "model/cost.hpp"
#include "model/machine.hpp"

namespace rondo::select {

/// What the busiest rank has to do, each number by itself. A block that is sent and one that is received
/// count half each.
struct EdgeLoad {
  double inside = 0;       ///< blocks to or from other ranks of its node
  double between = 0;      ///< blocks to or from ranks of other nodes
  double messages = 0;     ///< that it sends or receives for its node, with node_aware
  double carried = 0;      ///< blocks in these
  double block_bytes = 0;  ///< the longest block of all ranks
};

struct EdgeDecision {
  choice::Choice choice;
  std::string reason;  ///< in a few words
};

/// The work of an algorithm of Collective::neighbor_alltoallv.
model::Work work_on_edges(const choice::Choice& choice, const choice::Layout& layout,
                          const EdgeLoad& load);

struct EdgePlace {
  bool has_node;     ///< whether ranks of a node share memory
  bool may_forward;  ///< whether the MPI library matches edges as Rondo does
};

/// Chooses between node_aware and a message along every edge, which the MPI library sends if it may.
EdgeDecision decide_on_edges(const choice::Layout& layout, const EdgeLoad& load,
                             const EdgePlace& place, const model::Machine& machine);

}  // namespace rondo::select
