// Every block straight to its rank, in the order and number at a time that a schedule says.
#pragma once

#include "exchange/travel.hpp"

namespace rondo::exchange {

/// `Blocks` is Uniform or Variable. Empty blocks are not sent: both ends know that they are empty.
template <class Blocks>
void exchange_straight(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  const int tag = context.tag(0);
  const Travel travel(call, Travel::Way::upward);
  const ConstBlock own = blocks.send_block(context.rank);
  copy_bytes(blocks.receive_block(context.rank).data, own.data, own.bytes);
  travel.schedule().for_each_batch(context.ranks, [&](std::span<const schedule::Round> rounds) {
    for (const schedule::Round& round : rounds) {
      const int source = travel.source(round.hop);
      const Block block = blocks.receive_block(source);
      if (block.bytes != 0) context.messages.receive(block.data, block.bytes, source, tag);
    }
    for (const schedule::Round& round : rounds) {
      const int destination = travel.destination(round.hop);
      const ConstBlock block = blocks.send_block(destination);
      if (block.bytes != 0) context.messages.send(block.data, block.bytes, destination, tag);
    }
    context.messages.wait();
  });
}

}  // namespace rondo::exchange
