// The parameter `threshold` of the log-time algorithms that cannot tell of errors: a pair whose block
// is longer exchanges it straight, and the algorithm sees it as empty. Both ends know the pair's
// length, so they decide alike without talking, and a skewed load drags no long block through log P
// hops. Algorithms that tell of errors see all blocks and look after the long ones themselves.
#pragma once

#include "exchange/long_blocks.hpp"

namespace rondo::exchange {

/// The blocks up to `threshold` bytes; the others empty.
inline Variable short_blocks(Context& context, const Variable& blocks, std::size_t threshold) {
  const auto send = context.scratch.array<ConstBlock>(Scratch::kShortSend, blocks.send.size());
  const auto receive = context.scratch.array<Block>(Scratch::kShortReceive, blocks.receive.size());
  const auto shorten = [&](const auto& from, auto to) {
    from.for_each([&](auto block) { *to++ = block.bytes > threshold ? decltype(block){} : block; });
  };
  shorten(blocks.send, send.begin());
  shorten(blocks.receive, receive.begin());
  return {.send = send, .receive = receive};
}

inline Uniform short_blocks(Context&, const Uniform& blocks, std::size_t threshold) {
  return blocks.block_bytes > threshold ? Uniform{} : blocks;
}

inline bool has_long_block(const Variable& blocks, std::size_t threshold) {
  bool is_there = false;
  const auto look = [&](const auto& block) { is_there |= block.bytes > threshold; };
  blocks.send.for_each(look);
  blocks.receive.for_each(look);
  return is_there;
}

inline bool has_long_block(const Uniform& blocks, std::size_t threshold) {
  return blocks.block_bytes > threshold;
}

/// Call exchange(blocks) for the short blocks; the long ones follow.
template <class Blocks, class Exchange>
void exchange_split(Call& call, const Blocks& blocks, std::size_t threshold, Exchange&& exchange) {
  const bool is_bounded = threshold < static_cast<std::size_t>(registry::kUnbounded);
  if (!is_bounded || !has_long_block(blocks, threshold)) return exchange(blocks);
  Context& context = call.context;
  exchange(short_blocks(context, blocks, threshold));
  Mismatch mismatch;
  receive_long_blocks(context, blocks, threshold, mismatch);
  send_long_blocks(context, blocks, threshold);
  const ConstBlock own = blocks.send_block(context.rank);
  if (own.bytes > threshold)
    copy_bytes(blocks.receive_block(context.rank).data, own.data, own.bytes);
  context.messages.wait();
}

}  // namespace rondo::exchange
