// Shared memory inside the nodes, one message for each pair of nodes between them. The steps of a
// call, with the schedule in schedule/node_schedule.hpp:
//
//   publish   every rank writes the lengths and bytes of its blocks, in node-major order, and the
//             lengths that it expects, and arrives
//   carry     leaders pack what all ranks of their share send to a node and exchange it; they know
//             every length that arrives, from what their neighbours published
//   copy      blocks of neighbours from their slots, blocks of other nodes from where they landed,
//             straight to the receive buffer; long blocks go from rank to rank
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange::engines {

/// Of a communicator on several nodes.
void exchange_between_nodes(Call& call, const Blocks& blocks);

}  // namespace rondo::exchange::engines
