#include "exchange/in_place.hpp"

#include <algorithm>

namespace rondo::exchange {

namespace {

void exchange_pair(Context& context, Block block, int partner) {
  const int tag = context.tag(0);
  std::byte* const leaving = context.scratch.bytes(Scratch::kOutgoing, kInPlacePieceBytes);
  for (std::size_t offset = 0; offset < block.bytes; offset += kInPlacePieceBytes) {
    const std::size_t bytes = std::min(kInPlacePieceBytes, block.bytes - offset);
    std::byte* const place = block.data + offset;
    copy_bytes(leaving, place, bytes);
    context.messages.receive(place, bytes, partner, tag);
    context.messages.send(leaving, bytes, partner, tag);
    context.messages.wait();
  }
}

}  // namespace

void exchange_pairs_in_place(Context& context, std::span<const Block> blocks) {
  // In step s rank p is paired with s - p: all pairs at once, and the same step at both ends.
  for (int step = 0; step < context.ranks; ++step) {
    const int partner = (step - context.rank + context.ranks) % context.ranks;
    const Block block = blocks[static_cast<std::size_t>(partner)];
    if (partner != context.rank && is_exchanged_by_pair(block.bytes))
      exchange_pair(context, block, partner);
  }
}

}  // namespace rondo::exchange
