// hierarchical:threshold=T:inter=direct|bruck:radix=r:parts=k
//
// Idea:     as alltoallv/hierarchical, with blocks of one length.
// Source:   Rondo; "The node" and "Between nodes" in the design.
// Rounds:   as there, and so is all else.

#include "exchange/hierarchical.hpp"

#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void hierarchical(Call& call, const Uniform& blocks) {
  if (call.context.nodes.nodes() == 1) return shared_memory(call, blocks);
  Hierarchical(call, blocks).run();
}

}  // namespace rondo::exchange::alltoall
