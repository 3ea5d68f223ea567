// node_aware:threshold=T:inter=direct|bruck:radix=r:parts=k
//
// Idea:     on one node every rank publishes its blocks in the node's shared memory, the shortest
//           ones in the cache line that announces them. It copies the blocks for itself straight to
//           its receive buffer as its neighbours arrive: two copies and no message. A block longer
//           than T goes through a pipe of its sender's slot in pieces, as soon as both lengths are
//           known to agree: the sender writes the next pieces while the receiver copies the ones
//           before them. In nonblocking exchanges, and with RONDO_SINGLE_COPY=2 in calls, the receiver
//           pulls it instead, straight from the sender's memory, if the system allows that
//           (segment/segment.hpp). On several nodes, for every ordered pair of nodes one rank
//           packs what all ranks of its node send to the other node into one message. The message
//           lands in that node's memory, and every rank copies its own blocks from there. The pairs
//           are dealt out over the ranks of a node, and each may be cut into k parts. With many
//           nodes the same messages travel in log-time rounds (inter=bruck). Blocks longer than T go
//           from rank to rank between nodes, at the end, when it is known that no rank failed. Where
//           pipes have less than 4 KiB and ranks may not pull, blocks that are too long for slots do
//           so inside a node too.
// Source:   Rondo; "The node" and "Between nodes" in the design.
// Rounds:   one arrival; on several nodes N-1 messages a node in one phase (or K(N, r) in as many
//           phases as there are digits).
// Sent:     on one node nothing. On several nodes every block once, 24 bytes before every message,
//           and 1 byte before every block to another node, 5 if it has more than 252, or 9 if it is
//           longer than T; with inter=bruck D(N, r) of the messages of pairs of nodes, with 4 bytes
//           and headers as in fused_bruck.
// Scratch:  the node's segment (engines/node/node.hpp); the messages that a rank sends to other nodes.
// Cost:     one arrival + two copies of every block inside the node (one of a pulled block);
//           between nodes (N-1) / Q alpha + the short blocks' beta + three copies of each; the long
//           blocks' alpha and beta.
// Errors:   a rank that cannot take part reports this when it arrives, headers report it to the
//           other nodes, and all ranks return the error. All lengths are compared before a byte is
//           copied. A difference is an error at the receiver, or on all ranks of a node if any of them
//           sends a neighbour a block longer than T that is not sent in a message, or expects one. The
//           exchange goes on after such an error (engines/outcome.hpp).
// Limits:   T is at most the limit in engines/node/node_layout.hpp, less 5 bytes on several nodes.

#include "engines/engines.hpp"
#include "engines/node/neighbours.hpp"
#include "engines/node/several_nodes.hpp"
#include "engines/node/short_blocks.hpp"
#include "engines/outcome.hpp"
#include "transport/outstanding.hpp"

namespace rondo::engines {

namespace {

/// The rest of an exchange for which every neighbour has this rank's cell.
void exchange_after_sending(Call& call, const Blocks& blocks, Neighbours& neighbours,
                            Status status) {
  const bool takes_part = blocks.failure == nullptr;
  // Exchange with each neighbour as soon as it arrives, while others may still be on their way.
  neighbours.wait_for_all(status, [&](int local, int rank) {
    if (takes_part) neighbours.exchange_with(local, rank);
  });
  if (takes_part) neighbours.take_elsewhere();
  if (!conclude(call, blocks.failure, status)) copy_own_block(blocks, call.context.rank);
  if (takes_part) neighbours.wait_until_taken();
  call.context.messages.wait();
  neighbours.store_mismatch(call);
}

/// The same of a dynamic exchange. The blocks have places only when all ranks have arrived.
void exchange_unknown_after_sending(Call& call, Blocks& blocks, Neighbours& neighbours,
                                    Status status) {
  neighbours.wait_for_all(status, [](int, int) {});
  if (conclude(call, blocks.failure, status)) return neighbours.withdraw();
  neighbours.write_lengths(*call.incoming);
  blocks.receive = call.incoming->place();
  neighbours.exchange_all(status);
  neighbours.wait_until_taken();
  call.context.messages.wait();
}

/// An exchange that is not a common one, which may turn out when every neighbour has this rank's cell
/// already: then `longest` is the length of the longest block, and this waits for all neighbours once more.
[[gnu::noinline]] void exchange_any_in_node(Call& call, Blocks blocks,
                                            std::optional<std::size_t> longest) {
  Context& context = call.context;
  Neighbours neighbours(call, blocks, short_limit_inside(call), context.tag(0));
  if (longest) {
    neighbours.note_longest(*longest);
  } else {
    context.node()->begin();
    if (blocks.failure != nullptr)
      neighbours.send_failure(*blocks.failure);
    else
      neighbours.send(0, 0);
    transport::end_start();
  }
  const Status status = own_status(context, blocks.failure);
  if (call.incoming != nullptr)
    exchange_unknown_after_sending(call, blocks, neighbours, status);
  else
    exchange_after_sending(call, blocks, neighbours, status);
}

void record_longest(Call& call, const ShortBlocks& common) {
  if (!call.needs_longest()) return;
  call.context.longest.set_own(common.longest());
  call.context.longest.record(common.reported());
}

void exchange_in_node(Call& call, const Blocks& blocks) {
  const std::size_t limit = short_limit_inside(call);
  if (blocks.failure != nullptr || blocks.send.any_longer(limit) ||
      blocks.receive.any_longer(limit))
    return exchange_any_in_node(call, blocks, std::nullopt);
  Context& context = call.context;
  Node& node = *context.node();
  node.begin();
  ShortBlocks common(node, blocks, context.longest.own());
  common.send();
  transport::end_start();
  if (!common.receive()) return exchange_any_in_node(call, blocks, common.longest());
  record_longest(call, common);
}

/// As exchange_in_node() if no rank knows what arrives.
void exchange_unknown_in_node(Call& call, Blocks blocks) {
  if (blocks.failure != nullptr || blocks.send.any_longer(short_limit_inside(call)))
    return exchange_any_in_node(call, blocks, std::nullopt);
  Node& node = *call.context.node();
  node.begin();
  ShortBlocks common(node, blocks, call.context.longest.own());
  common.send();
  if (!common.learn(call.incoming->lengths))
    return exchange_any_in_node(call, blocks, common.longest());
  record_longest(call, common);
  blocks.receive = call.incoming->place();
  common.take();
}

}  // namespace

void node_aware(Call& call, const Blocks& blocks) {
  if (call.context.nodes.nodes() > 1 && call.pattern != nullptr)
    return exchange_along_edges(call, blocks);
  if (call.context.nodes.nodes() > 1) return exchange_between_nodes(call, blocks);
  if (call.incoming != nullptr) return exchange_unknown_in_node(call, blocks);
  exchange_in_node(call, blocks);
}

}  // namespace rondo::engines
