// Which algorithm `auto` chooses for a neighbourhood exchange. Its cost depends on the topology and not
// only on the layout, so no table has it.
#pragma once

#include <string>

#include "model/cost.hpp"
#include "model/machine.hpp"

namespace rondo::select {

/// Blocks of one rank. One that is sent and one that is received count half each, and so do their bytes.
struct EdgeBlocks {
  double blocks = 0;
  double bytes = 0;
  double long_blocks = 0;  ///< those longer than node_aware's threshold; they are among `blocks`
  double long_bytes = 0;   ///< in these
};

/// What an exchange moves. On a mesh few blocks are long and most are short, so the longest says little.
struct EdgeLoad {
  EdgeBlocks inside{};   ///< of the busiest rank, with ranks of its node; each number by itself
  EdgeBlocks between{};  ///< of the busiest rank, with ranks of other nodes
  EdgeBlocks mean_between{};  ///< the same of all ranks, the mean
  double messages = 0;  ///< that the busiest leader sends or receives for its node, with node_aware
  double carried = 0;   ///< blocks in these
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
