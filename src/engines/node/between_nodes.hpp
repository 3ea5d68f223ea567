// Shared memory inside the nodes, one message for each pair of nodes between them. The schedule is
// in schedule/node_schedule.hpp. The steps of a call:
//
//   publish   every rank writes its blocks to other nodes, each preceded by its length, in node-major
//             order, and the blocks to its neighbours, and arrives
//   exchange  leaders pack what the ranks of their share send to a node, and exchange it; the receiving
//             leader reads from the message where each block is
//   copy      every rank copies the blocks of its neighbours from their slots, and the blocks of
//             other nodes from the landing area, straight to its receive buffer; long blocks go
//             from rank to rank
#pragma once

#include "engines/context.hpp"

namespace rondo::engines {

/// Carries out a call on a communicator with several nodes.
void exchange_between_nodes(Call& call, const Blocks& blocks);

}  // namespace rondo::engines
