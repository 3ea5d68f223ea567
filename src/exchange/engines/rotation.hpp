// Where uniform blocks lie before, between and after the rounds of a Bruck exchange, in the forms of
// the papers.
#pragma once

#include "exchange/travel.hpp"

namespace rondo::exchange::engines {

/// Which rotations an algorithm begins and ends with.
enum class Rotations {
  none,  ///< blocks are found through their index (zero_rotation_bruck)
  one,   ///< before the rounds (modified_bruck)
  two,   ///< before and after (basic_bruck)
};

inline Rotations rotations_of(const Call& call) {
  return static_cast<Rotations>(call.choice.algorithm->handling.whole_copies);
}

/// Room for P blocks between the rounds.
inline std::byte* work_for(const Call& call, std::size_t block_bytes) {
  const auto ranks = static_cast<std::size_t>(call.context.ranks);
  return call.context.scratch.bytes(Scratch::kWork, checked_multiply(ranks, block_bytes));
}

/// Block i of `work` becomes the block to the rank i above: basic Bruck's first step.
inline void rotate_in(const Travel& travel, const Blocks& blocks, std::byte* work) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const ConstBlock block = blocks.send_block(travel.destination(name));
    copy_bytes(work + static_cast<std::size_t>(name) * block.bytes, block.data, block.bytes);
  }
}

/// Block i of `work`, which began at the rank i below, goes to its place: basic Bruck's last step,
/// out of place because in place it would overwrite itself.
inline void rotate_out(const Travel& travel, const std::byte* work, const Blocks& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const Block block = blocks.receive_block(travel.source(name));
    copy_bytes(block.data, work + static_cast<std::size_t>(name) * block.bytes, block.bytes);
  }
}

/// Where modified Bruck keeps the block `name`, all the way: the slot of the rank that it will have
/// come from when it arrives. `travel` must lead downward.
inline std::byte* slot(const Travel& travel, const Blocks& blocks, int name) {
  return blocks.receive_block(travel.source(name)).data;
}

/// Every block to its slot: modified Bruck's only rotation.
inline void rotate_to_slots(const Travel& travel, const Blocks& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const ConstBlock block = blocks.send_block(travel.destination(name));
    copy_bytes(slot(travel, blocks, name), block.data, block.bytes);
  }
}

}  // namespace rondo::exchange::engines
