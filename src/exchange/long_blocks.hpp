// Blocks too long for the way of the others: straight to their ranks, all in flight together.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange {

/// Post a receive from every other rank whose block is longer than `limit`, the nearest below
/// first. context.messages.wait() must follow.
template <class Blocks>
void receive_long_blocks(Context& context, const Blocks& blocks, std::size_t limit, int tag) {
  for (int step = 1; step < context.ranks; ++step) {
    const int source = (context.rank + context.ranks - step) % context.ranks;
    const Block block = blocks.receive_block(source);
    if (block.bytes > limit) context.messages.receive(block.data, block.bytes, source, tag);
  }
}

/// Post a send to every other rank of a block longer than `limit`, the nearest above first, so that
/// no rank is everybody's first target. context.messages.wait() must follow.
template <class Blocks>
void send_long_blocks(Context& context, const Blocks& blocks, std::size_t limit, int tag) {
  for (int step = 1; step < context.ranks; ++step) {
    const int destination = (context.rank + step) % context.ranks;
    const ConstBlock block = blocks.send_block(destination);
    if (block.bytes > limit) context.messages.send(block.data, block.bytes, destination, tag);
  }
}

}  // namespace rondo::exchange
