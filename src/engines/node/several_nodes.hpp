// Calls on several nodes: shared memory inside the nodes, and messages between them.
//
// exchange_between_nodes: one message for each pair of nodes. The schedule is in schedule/node_schedule.hpp. The steps
// of a call:
//
//   publish   every rank writes its blocks to other nodes, each preceded by its length, in node-major
//             order, and the blocks to its neighbours, and arrives
//   exchange  leaders pack what the ranks of their share send to a node, and exchange it; the receiving
//             leader reads from the message where each block is
//   copy      every rank copies the blocks of its neighbours from their slots, and the blocks of
//             other nodes from the landing area, straight to its receive buffer; long blocks go
//             from rank to rank
//
// exchange_along_edges: a neighbourhood exchange, with one message for each ordered pair of nodes with an edge between
// them. Other pairs of nodes exchange nothing. The steps of a call:
//
//   publish   every rank writes its blocks to other nodes, each preceded by its length, and the blocks
//             to its neighbours, and arrives; a repeated block is written once (repeats.hpp)
//   exchange  leaders pack what the ranks of their node send to a node; the receiving leader reads from
//             the message where each block is
//   copy      every rank copies the blocks of its neighbours, waits for the messages that have blocks for
//             it, and copies these; long blocks go from rank to rank
//
// The message of a pair of nodes is sent even if all its blocks are empty. A rank that expects another
// length than is sent therefore never waits for a message that does not come, and the report of a failure
// finds a receiver.
//
// Failures. A header says whether a rank of the sending node has failed; then no block of that node
// follows, neither in the message nor from rank to rank. Only nodes to which there is an edge learn it. A
// rank therefore receives everything that other nodes send, even if it or its node has failed: they may
// not know.
#pragma once

#include "engines/context.hpp"

namespace rondo::engines {

void exchange_between_nodes(Call& call, const Blocks& blocks);

void exchange_along_edges(Call& call, const Blocks& blocks);

}  // namespace rondo::engines
