// What neighbourhood exchanges cost. That depends on the topology and not only on the layout.
#pragma once

#include "model/cost.hpp"

namespace rondo::model {

/// Blocks of one rank. One that is sent and one that is received count half each, and so do their bytes.
/// Rondo joins what goes from one rank to another into one block. The MPI library sends a message along
/// every edge.
struct EdgeBlocks {
  double edges = 0;
  double blocks = 0;
  double bytes = 0;
  double long_blocks = 0;  ///< those longer than node_aware's threshold; they are among `blocks`
  double long_bytes = 0;   ///< in these
};

/// What an exchange moves. On a mesh few blocks are long and most are short, so the longest says little.
struct EdgeLoad {
  double own_edges = 0;  ///< of the busiest rank, with itself; Rondo copies what goes along these
  EdgeBlocks inside{};   ///< of the busiest rank, with ranks of its node; each number by itself
  EdgeBlocks between{};  ///< of the busiest rank, with ranks of other nodes
  EdgeBlocks mean_between{};  ///< the same of all ranks, the mean
  double messages = 0;  ///< that the busiest leader sends or receives for its node, with node_aware
  double carried = 0;   ///< blocks in these
};

/// The work of an algorithm of Collective::neighbor_alltoallv.
model::Work work_on_edges(const choice::Choice& choice, const choice::Layout& layout,
                          const EdgeLoad& load);

/// The load of a topology in which every rank has edges to others drawn at random, `load.share` of all.
/// Blocks longer than `threshold` are long.
EdgeLoad random_edges(const choice::Layout& layout, const Load& load, std::size_t threshold);

}  // namespace rondo::model
