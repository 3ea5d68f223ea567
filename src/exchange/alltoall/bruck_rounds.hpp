// The rounds of a Bruck exchange over blocks of one length, packed with memcpy. Where a block is
// kept meanwhile is the algorithm's business.
#pragma once

#include <span>

#include "exchange/travel.hpp"

namespace rondo::exchange::alltoall {

/// Run all rounds: `from(round, name)` is where the block `name` is read for its hop in that round,
/// `to(name)` where it is put after a hop. In scratch it uses kOutgoing and kIncoming, the messages
/// of one batch.
template <class From, class To>
void run_bruck_rounds(Call& call, const Travel& travel, std::size_t block_bytes, From&& from,
                      To&& to) {
  Context& context = call.context;
  const int tag = context.tag(0);
  const int ports = call.choice.value(registry::Key::ports, 1);
  travel.schedule().for_each_batch(ports, [&](std::span<const schedule::Round> rounds) {
    std::size_t bytes = 0;
    for (const schedule::Round& round : rounds)
      bytes += static_cast<std::size_t>(round.blocks.size()) * block_bytes;
    std::byte* incoming = context.scratch.bytes(Scratch::kIncoming, bytes);
    std::byte* outgoing = context.scratch.bytes(Scratch::kOutgoing, bytes);

    std::byte* landing = incoming;
    for (const schedule::Round& round : rounds) {
      const auto length = static_cast<std::size_t>(round.blocks.size()) * block_bytes;
      context.messages.receive(landing, length, travel.source(round.hop), tag);
      landing += length;
    }
    for (const schedule::Round& round : rounds) {
      std::byte* const begin = outgoing;
      round.blocks.for_each([&](int name) {
        copy_bytes(outgoing, from(round, name), block_bytes);
        outgoing += block_bytes;
      });
      context.messages.send(begin, static_cast<std::size_t>(outgoing - begin),
                            travel.destination(round.hop), tag);
    }
    context.messages.wait();
    for (const schedule::Round& round : rounds)
      round.blocks.for_each([&](int name) {
        copy_bytes(to(name), incoming, block_bytes);
        incoming += block_bytes;
      });
  });
}

}  // namespace rondo::exchange::alltoall
