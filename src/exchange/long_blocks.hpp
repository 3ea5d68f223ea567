// Blocks longer than a limit go straight to their ranks, all in flight together.
#pragma once

#include "exchange/context.hpp"
#include "exchange/mismatch.hpp"

namespace rondo::exchange {

/// Posts a receive from every other rank whose block is longer than `limit`, the nearest below
/// first. A length is the one that this rank expects, unless `mismatch` has seen another.
/// context.messages.wait() must follow while `mismatch` lives.
inline void receive_long_blocks(Context& context, const Blocks& blocks, std::size_t limit,
                                Mismatch& mismatch) {
  for (int step = 1; step < context.ranks; ++step) {
    const int source = (context.rank + context.ranks - step) % context.ranks;
    const Block place = blocks.receive_block(source);
    const std::size_t bytes = mismatch.sent_by(source, place.bytes);
    if (bytes > limit)
      context.messages.receive(mismatch.room_for(bytes, place), bytes, source, context.tag(3));
  }
}

/// Posts a send of every block longer than `limit` to its rank, the nearest above first, so that no
/// rank is everybody's first target. context.messages.wait() must follow.
inline void send_long_blocks(Context& context, const Blocks& blocks, std::size_t limit) {
  for (int step = 1; step < context.ranks; ++step) {
    const int destination = (context.rank + step) % context.ranks;
    const ConstBlock block = blocks.send_block(destination);
    if (block.bytes > limit)
      context.messages.send(block.data, block.bytes, destination, context.tag(3));
  }
}

}  // namespace rondo::exchange
