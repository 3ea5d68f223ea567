// spread_out of neighbourhood exchanges
//
// Idea:     post a receive from every rank with an edge to this one and a send to every rank with an
//           edge from it, and wait for all; with window=k no more than k of each are in flight.
// Source:   MPI's definition of neighbourhood collectives (MPI 4.0, section 8.6).
// Rounds:   one.
// Sent:     every block once. Empty blocks are not sent, since both ranks of a pair know that they are
//           empty.
// Scratch:  requests only.
// Cost:     alpha for every peer + (bytes sent) beta, no copies.
// Limits:   none.

#include <algorithm>

#include "engines/engines.hpp"
#include "engines/pattern.hpp"

namespace rondo::engines {

namespace {

/// Lists the blocks that are not empty.
template <class BlockOf>
std::span<const transport::Transfer> transfers(Context& context, Scratch::Purpose purpose,
                                               std::span<const int> ranks, BlockOf&& block_of) {
  const auto list = context.scratch.array<transport::Transfer>(purpose, ranks.size());
  std::size_t count = 0;
  for (const int rank : ranks) {
    const auto block = block_of(rank);
    if (block.bytes != 0) list[count++] = {const_cast<std::byte*>(block.data), block.bytes, rank};
  }
  return list.first(count);
}

}  // namespace

void straight_to_peers(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  const int tag = context.tag(0);
  const auto receives = transfers(context, Scratch::kLongReceives, call.pattern->from(),
                                  [&](int rank) { return blocks.receive_block(rank); });
  const auto sends = transfers(context, Scratch::kLongSends, call.pattern->to(),
                               [&](int rank) { return blocks.send_block(rank); });
  const auto window = static_cast<std::size_t>(call.choice.value(registry::Key::window, 1));
  if (std::max(receives.size(), sends.size()) > window) {
    copy_own_block(blocks, context.rank);
    return context.messages.exchange(receives, sends, tag, window);
  }
  for (const transport::Transfer& one : receives)
    context.messages.receive(one.data, one.bytes, one.rank, tag);
  for (const transport::Transfer& one : sends)
    context.messages.send(one.data, one.bytes, one.rank, tag);
  copy_own_block(blocks, context.rank);
  context.messages.wait();
}

}  // namespace rondo::engines
