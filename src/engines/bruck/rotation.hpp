// Where uniform blocks lie before, between and after the rounds of a Bruck exchange, in the
// variants of the papers.
#pragma once

#include "engines/travel.hpp"

namespace rondo::engines {

/// The rotations of an algorithm before and after its rounds.
enum class Rotations {
  none,  ///< blocks are indexed instead (zero_rotation_bruck)
  one,   ///< before the rounds (modified_bruck)
  two,   ///< before and after (basic_bruck)
};

inline Rotations rotations_of(const Call& call) {
  return static_cast<Rotations>(call.choice.algorithm->handling.whole_copies);
}

/// Returns scratch memory for P blocks between the rounds.
inline std::byte* work_for(const Call& call, std::size_t block_bytes) {
  const auto ranks = static_cast<std::size_t>(call.context.ranks);
  return call.context.scratch.bytes(Scratch::kWork, checked_multiply(ranks, block_bytes));
}

/// Basic Bruck's first step: block i of `work` becomes the block for the rank i above.
inline void rotate_in(const Travel& travel, const Blocks& blocks, std::byte* work) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const ConstBlock block = blocks.send_block(travel.destination(name));
    copy_bytes(work + static_cast<std::size_t>(name) * block.bytes, block.data, block.bytes);
  }
}

/// Basic Bruck's last step: block i of `work`, which came from the rank i below, goes to its place
/// in the receive buffer. A rotation in place would overwrite itself.
inline void rotate_out(const Travel& travel, const std::byte* work, const Blocks& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const Block block = blocks.receive_block(travel.source(name));
    copy_bytes(block.data, work + static_cast<std::size_t>(name) * block.bytes, block.bytes);
  }
}

/// Returns where modified Bruck keeps the block `name` through all rounds: the slot of the rank
/// that will be its source when it arrives. `travel` must lead downward.
inline std::byte* slot(const Travel& travel, const Blocks& blocks, int name) {
  return blocks.receive_block(travel.source(name)).data;
}

/// Modified Bruck's only rotation: copies every block to its slot.
inline void rotate_to_slots(const Travel& travel, const Blocks& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const ConstBlock block = blocks.send_block(travel.destination(name));
    copy_bytes(slot(travel, blocks, name), block.data, block.bytes);
  }
}

}  // namespace rondo::engines
