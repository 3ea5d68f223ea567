// node_aware:threshold=T:inter=direct|bruck:radix=r:parts=k
//
// Idea:     node_aware of alltoallv, in which most blocks are empty. Inside a node every rank has a
//           cell from every neighbour, which says in the same cache line whether there is a block
//           and has a short one. Between nodes one message for each pair of nodes carries what all
//           ranks of one have for all ranks of the other, each block behind its length.
// Source:   Rondo; engines/node/.
// Rounds:   one arrival; on several nodes N-1 messages a node in one phase, or K(N, r).
// Sent:     as node_aware of alltoallv: for each pair of nodes 24 bytes, 1 or 5 for each pair of their
//           ranks, and the blocks.
// Scratch:  that of node_aware, and 40 P bytes.
// Cost:     one arrival + two copies of every block inside a node; between nodes (N-1) / Q alpha and
//           three copies of each short block. A pair of nodes that has nothing costs an empty message
//           all the same. Where a consensus of one rank a node on who sends was simulated to be
//           faster, it was less than a tenth faster than nbx, in which all ranks agree.
// Errors:   as node_aware: all ranks return the error of one.
// Limits:   as node_aware. Blocks longer than T go from rank to rank between nodes.

#include "engines/discovery/sparse.hpp"
#include "engines/engines.hpp"

namespace rondo::engines::discovery {

void node_aware(SparseCall& call) {
  run_dense(call, engines::node_aware);
}

}  // namespace rondo::engines::discovery
