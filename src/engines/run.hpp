// Runs one exchange by a given engine. No MPI.
#pragma once

#include "engines/engines.hpp"
#include "engines/long_blocks.hpp"
#include "registry/algorithm.hpp"

namespace rondo::engines {

using Engine = void (*)(Call&, const Blocks&);

/// Returns the blocks of up to `threshold` bytes, with empty blocks in place of the longer ones.
inline Blocks short_blocks(Context& context, const Blocks& blocks, std::size_t threshold) {
  const auto send = context.scratch.array<ConstBlock>(Scratch::kShortSend, blocks.send.size());
  const auto receive = context.scratch.array<Block>(Scratch::kShortReceive, blocks.receive.size());
  const auto shorten = [&](const auto& from, auto to) {
    from.for_each([&](auto block) { *to++ = block.bytes > threshold ? decltype(block){} : block; });
  };
  shorten(blocks.send, send.begin());
  shorten(blocks.receive, receive.begin());
  return {.send = send, .receive = receive};
}

/// Exchanges the short blocks by `engine`, and then the long ones straight from rank to rank.
inline void run_split(Engine engine, Call& call, const Blocks& blocks) {
  const std::size_t threshold = call.choice.threshold();
  const bool is_bounded = threshold < static_cast<std::size_t>(registry::kUnbounded);
  if (!is_bounded || !(blocks.send.any_longer(threshold) || blocks.receive.any_longer(threshold)))
    return engine(call, blocks);
  Context& context = call.context;
  engine(call, short_blocks(context, blocks, threshold));
  if (call.failure) return;  // on all ranks
  if (blocks.send_block(context.rank).bytes > threshold) copy_own_block(blocks, context.rank);
  Mismatch none;
  exchange_long_blocks(context, blocks, threshold, none);
}

/// As run(), by the engine of `call.choice`.
inline void run_by(Engine engine, Call& call, const Blocks& blocks) {
  if (call.is_learning()) *call.learned = {};
  if (call.choice.algorithm->errors == registry::Errors::everywhere)
    engine(call, blocks);
  else
    run_split(engine, call, blocks);
  if (call.learned != nullptr && !call.failure) call.learned->is_complete = true;
}

}  // namespace rondo::engines
