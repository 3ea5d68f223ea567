// shared_memory:threshold=T
//
// Idea:     every rank hands every other its block through the node's shared memory, the shortest
//           in the cache line that says that they are there, and copies what is for it straight to
//           its receive buffer as its neighbours arrive: two copies and no message at all. Only
//           blocks longer than T go from rank to rank. On several nodes it acts as hierarchical.
// Source:   Rondo; "The node" in the design.
// Rounds:   one arrival.
// Sent:     blocks longer than T, each once.
// Scratch:  the node's segment (exchange/node.hpp).
// Cost:     one arrival + two copies of every short block + the long blocks' alpha and beta.
// Errors:   a rank that cannot take part says so when it arrives, and all return the error. Lengths
//           are compared, also of long blocks, and a difference is an error at the receiver.
// Limits:   T is at most what exchange/node.hpp says.

#include "exchange/shared_memory.hpp"

#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void shared_memory(Call& call, const Uniform& blocks) {
  if (call.context.nodes.nodes() > 1) return hierarchical(call, blocks);
  exchange_in_node(call, blocks);
}

}  // namespace rondo::exchange::alltoall
