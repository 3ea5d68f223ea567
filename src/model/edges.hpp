// What neighbourhood exchanges cost. That depends on the topology and not only on the layout.
#pragma once

#include "model/cost.hpp"

namespace rondo::model {

/// What the busiest rank has to do, each number by itself. A block that is sent and one that is received
/// count half each.
struct EdgeLoad {
  double inside = 0;       ///< blocks to or from other ranks of its node
  double between = 0;      ///< blocks to or from ranks of other nodes
  double messages = 0;     ///< that it sends or receives for its node, with node_aware
  double carried = 0;      ///< blocks in these
  double block_bytes = 0;  ///< the longest block of all ranks
};

/// The work of an algorithm of Collective::neighbor_alltoallv.
model::Work work_on_edges(const choice::Choice& choice, const choice::Layout& layout,
                          const EdgeLoad& load);

/// The load of a topology in which every rank has edges to others drawn at random, `load.share` of all.
EdgeLoad random_edges(const choice::Layout& layout, const Load& load);

}  // namespace rondo::model
