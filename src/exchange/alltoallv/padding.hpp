// Pad all blocks to one length, exchange them as uniform blocks, take the padding off.
#pragma once

#include "exchange/alltoallv/largest.hpp"

namespace rondo::exchange::alltoallv {

/// Copy every block to the start of a slot of `bytes` bytes, as many as the largest block has.
void pad(const Variable& blocks, std::size_t bytes, std::byte* padded);

/// Copy the first bytes of every slot, as many as are expected, to where they go.
void unpad(const std::byte* padded, std::size_t bytes, const Variable& blocks);

/// Run `exchange(uniform)` on padded copies of the blocks, or spread_out where a block is longer
/// than `longest` or all would be too large. Scratch: 2 P S, besides what `exchange` needs.
template <class Exchange>
void exchange_padded(Call& call, const Variable& blocks, std::size_t longest, Exchange&& exchange) {
  const std::size_t largest = agree_on_largest(call, blocks);
  if (largest > longest || is_beyond_padding(call.context, largest))
    return spread_out_instead(call, blocks);
  const std::size_t total = checked_multiply(static_cast<std::size_t>(call.context.ranks), largest);
  std::byte* const padded = call.context.scratch.bytes(Scratch::kPaddedSend, total);
  std::byte* const arrived = call.context.scratch.bytes(Scratch::kPaddedReceive, total);
  pad(blocks, largest, padded);
  exchange(Uniform{.send = padded, .receive = arrived, .block_bytes = largest});
  unpad(arrived, largest, blocks);
}

}  // namespace rondo::exchange::alltoallv
