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

/// Returns where modified Bruck keeps the block `name` through all rounds: the slot of the rank
/// that will be its source when it arrives.
inline std::byte* slot(const Travel& travel, const Blocks& blocks, int name) {
  return blocks.receive_block(travel.source(name)).data;
}

/// Runs an exchange of one or two rotations: rounds(travel, bytes, place) carries out its rounds, between
/// which the block `name` is at place(name).
template <class Rounds>
void run_rotated(Call& call, const Blocks& blocks, Rounds&& rounds) {
  const Travel travel(call);
  const std::size_t bytes = blocks.block_bytes();
  const auto rotate_to = [&](auto&& place) {
    for (int name = 0; name < call.context.ranks; ++name)
      copy_bytes(place(name), blocks.send_block(travel.destination(name)).data, bytes);
  };
  if (rotations_of(call) == Rotations::one) {
    const auto place = [&](int name) { return slot(travel, blocks, name); };
    rotate_to(place);
    return rounds(travel, bytes, place);
  }
  std::byte* const work = work_for(call, bytes);
  const auto place = [&](int name) { return work + static_cast<std::size_t>(name) * bytes; };
  rotate_to(place);
  rounds(travel, bytes, place);
  // The block `name` came from the rank so far below. A rotation in place would overwrite itself.
  for (int name = 0; name < call.context.ranks; ++name)
    copy_bytes(slot(travel, blocks, name), place(name), bytes);
}

}  // namespace rondo::engines
