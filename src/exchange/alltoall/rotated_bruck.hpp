// Rotate, rounds, rotate back: the common body of basic_bruck, tunable_bruck and two_layer_bruck,
// which differ only in their schedules.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange::alltoall {

/// Scratch: P blocks, and twice the blocks of one batch of rounds.
void rotated_bruck(Call& call, const Uniform& blocks);

}  // namespace rondo::exchange::alltoall
