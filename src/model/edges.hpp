// What neighbourhood exchanges cost. It depends on the topology, not only on the layout.
#pragma once

#include "model/cost.hpp"

namespace rondo::model {

/// Blocks of one rank. Blocks sent and blocks received count half each, and so do their bytes. Rondo joins
/// all blocks from one rank to another into one. The MPI library sends a message along every edge.
struct EdgeBlocks {
  double edges = 0;
  double blocks = 0;
  double bytes = 0;
  double long_blocks = 0;  ///< among `blocks`: those longer than node_aware's threshold
  double long_bytes = 0;   ///< in long blocks
};

/// What an exchange moves. On a mesh most blocks are short, so the longest one says little.
struct EdgeLoad {
  double own_edges = 0;       ///< from the busiest rank to itself; Rondo copies their blocks
  EdgeBlocks inside{};        ///< the most of any rank with its node, each number by itself
  EdgeBlocks between{};       ///< the most of any rank with other nodes, likewise
  EdgeBlocks mean_between{};  ///< the mean over all ranks
  double messages = 0;        ///< that the busiest leader of node_aware sends or receives
  double carried = 0;         ///< blocks in these messages
};

/// The work of an algorithm of Collective::neighbor_alltoallv.
model::Work work_on_edges(const choice::Choice& choice, const choice::Layout& layout,
                          const EdgeLoad& load);

/// The load of a random topology. Every rank has edges to `load.share` of the others. Blocks longer than
/// `short_bytes` are long.
EdgeLoad random_edges(const choice::Layout& layout, const Load& load, double short_bytes);

}  // namespace rondo::model
