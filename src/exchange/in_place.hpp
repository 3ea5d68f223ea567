// MPI_IN_PLACE: no byte is overwritten before it has been sent.
#pragma once

#include <algorithm>
#include <span>

#include "buffers/buffers.hpp"
#include "engines/context.hpp"

namespace rondo::exchange {

/// Exchanges `block` with `partner` in place, through one piece of scratch memory.
inline void exchange_pair(engines::Context& context, Block block, int partner) {
  const int tag = context.tag(0);
  std::byte* const leaving = context.scratch.bytes(Scratch::kOutgoing, buffers::kInPlacePieceBytes);
  for (std::size_t offset = 0; offset < block.bytes; offset += buffers::kInPlacePieceBytes) {
    const std::size_t bytes = std::min(buffers::kInPlacePieceBytes, block.bytes - offset);
    std::byte* const place = block.data + offset;
    copy_bytes(leaving, place, bytes);
    context.messages.receive(place, bytes, partner, tag);
    context.messages.send(leaving, bytes, partner, tag);
    context.messages.wait();
  }
}

/// Exchanges every block i that is longer than a piece with rank i, in place. Other blocks are not
/// touched.
inline void exchange_pairs_in_place(engines::Context& context, std::span<const Block> blocks) {
  // In step s, rank p is paired with rank s - p. All pairs of a step exchange at the same time.
  for (int step = 0; step < context.ranks; ++step) {
    const int partner = (step - context.rank + context.ranks) % context.ranks;
    const Block block = blocks[static_cast<std::size_t>(partner)];
    if (partner != context.rank && buffers::is_exchanged_by_pair(block.bytes))
      exchange_pair(context, block, partner);
  }
}

}  // namespace rondo::exchange
