// The topology of a neighbourhood exchange: an edge for every pair of ranks that exchange.
#pragma once

#include <memory>
#include <vector>

#include "contender.hpp"
#include "distribution.hpp"

namespace rondo::bench {

/// The ranks at the other ends of this rank's edges, in ascending order.
struct Edges {
  std::vector<int> to;
  std::vector<int> from;
};

/// The lengths of Kind::stencil, and for a neighbourhood exchange those of any distribution that has
/// edges: the same edges for every S, with S bytes on each. `given` is what Kind::matrix and Kind::market
/// have; for neighbor_alltoall all blocks that are not empty get S bytes. Returns `given` if nothing has
/// to be made.
std::shared_ptr<const Matrix> lengths_in_advance(const Distribution& distribution,
                                                 const Draws& draws, Call call,
                                                 std::shared_ptr<const Matrix> given);

/// The edges of `rank`: the ranks to and from which it sends a block.
Edges edges_of(const Matrix& lengths, int rank);

/// Collective. A communicator with these edges as its topology.
Communicator connect(const Communicator& comm, const Edges& edges);

}  // namespace rondo::bench
