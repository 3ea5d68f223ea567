// The rotations before and after the rounds, in the two forms of the papers.
#pragma once

#include "exchange/travel.hpp"

namespace rondo::exchange::alltoall {

/// Block i of `work` becomes the block to the rank i above: basic Bruck's first step.
void rotate_in(const Travel& travel, const Uniform& blocks, std::byte* work);

/// Block i of `work`, which began at the rank i below, goes to its place: basic Bruck's last step,
/// out of place because in place it would overwrite itself.
void rotate_out(const Travel& travel, const std::byte* work, const Uniform& blocks);

/// Where modified Bruck keeps the block `name`, all the way: the slot of the rank that it will have
/// come from when it arrives. `travel` must lead downward.
inline std::byte* slot(const Travel& travel, const Uniform& blocks, int name) {
  return blocks.receive_block(travel.source(name)).data;
}

/// Every block to its slot: modified Bruck's only rotation.
void rotate_to_slots(const Travel& travel, const Uniform& blocks);

}  // namespace rondo::exchange::alltoall
