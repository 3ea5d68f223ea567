// hierarchical:threshold=T:inter=direct|bruck:radix=r:parts=k
//
// Idea:     ranks publish their blocks in the memory of their node; for every ordered pair of nodes
//           one rank packs what all ranks of its node send to the other one into one message, which
//           lands in that node's memory, from where every rank copies its own blocks. The pairs are
//           dealt out over the ranks of a node, and may be cut into k parts; with many nodes the
//           same messages travel in log-time rounds (inter=bruck). Blocks longer than T go from
//           rank to rank at the end, when it is known that no rank failed.
// Source:   Rondo; "The node" and "Between nodes" in the design.
// Rounds:   one arrival, N-1 messages a node in one phase (or K(N, r) in as many as it has digits).
// Sent:     every block once, and 32 bytes in front of every message, where 16 bytes announce each
//           block longer than T (not in plans, whose lengths were compared when they were made);
//           with inter=bruck D(N, r) of the messages of pairs of nodes, with 4 bytes and headers as
//           in fused_bruck.
// Scratch:  the node's segment (exchange/node.hpp); what a rank carries, once more.
// Cost:     one arrival + (N-1) / Q alpha + the short blocks' beta + three copies of each (two
//           inside a node).
// Errors:   a rank that cannot take part says so when it arrives, headers say so to the other
//           nodes, and all return the error. Lengths are compared inside the node; between nodes
//           those of blocks longer than T and the total of the others, which is an error on all
//           ranks of the receiving node. The exchange goes on after such an error
//           (exchange/tell.hpp).
// Limits:   T is at most what exchange/node.hpp says; on one node it is shared_memory.

#include "exchange/hierarchical.hpp"

#include "exchange/functions.hpp"

namespace rondo::exchange::alltoallv {

void hierarchical(Call& call, const Variable& blocks) {
  if (call.context.nodes.nodes() == 1) return shared_memory(call, blocks);
  Hierarchical(call, blocks).run();
}

}  // namespace rondo::exchange::alltoallv
