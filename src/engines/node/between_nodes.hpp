// Shared memory inside the nodes, one message for each pair of nodes between them. The schedule is
// in schedule/node_schedule.hpp. The steps of a call:
//
//   publish   every rank writes the lengths and bytes of its blocks, in node-major order, and the
//             lengths that it expects, and arrives
//   exchange  leaders pack what the ranks of their share send to a node, and exchange it; from what
//             their neighbours published they know every length that arrives
//   copy      every rank copies the blocks of its neighbours from their slots, and the blocks of
//             other nodes from the landing area, straight to its receive buffer; long blocks go
//             from rank to rank
#pragma once

#include "engines/context.hpp"

namespace rondo::engines {

/// Carries out a call on a communicator with several nodes.
void exchange_between_nodes(Call& call, const Blocks& blocks);

}  // namespace rondo::engines
