// The engines behind the registry's rows, declared from the table itself: how blocks are kept and
// moved, whatever the schedule.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange::engines {

#define RONDO_ALGORITHM(collective, name, shape, engine, ...) \
  void engine(Call& call, const Blocks& blocks);
#define RONDO_FORWARDED(...)
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM

/// packed_bruck for uniform blocks by a schedule that leads downward, without any rotation: what
/// padded_bruck runs in the middle.
void zero_rotation_bruck(Call& call, const Blocks& blocks);

}  // namespace rondo::exchange::engines
