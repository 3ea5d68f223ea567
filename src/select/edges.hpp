// Which algorithm `auto` chooses for a neighbourhood exchange.
//
// The cost depends on the topology, not only on the layout, so no table has the choice.
#pragma once

#include <string>

#include "model/edges.hpp"
#include "model/machine.hpp"

namespace rondo::select {

using model::EdgeBlocks;
using model::EdgeLoad;

struct EdgeDecision {
  choice::Choice choice;
  std::string reason;  ///< in a few words
};

struct EdgePlace {
  bool has_node;     ///< whether ranks of a node share memory
  bool may_forward;  ///< whether the MPI library matches edges as Rondo does
};

/// Chooses between node_aware and a message along every edge, which the MPI library sends if it may.
EdgeDecision decide_on_edges(const choice::Layout& layout, const EdgeLoad& load,
                             const EdgePlace& place, const model::Machine& machine);

}  // namespace rondo::select
