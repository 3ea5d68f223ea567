// The engines of the registry's rows, declared from the table itself. An engine keeps and moves the
// blocks, whatever the schedule.
#pragma once

#include "engines/context.hpp"

namespace rondo::engines {

#define RONDO_ALGORITHM(collective, name, shape, engine, ...) \
  void engine(Call& call, const Blocks& blocks);
#define RONDO_FORWARDED(...)
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM

/// packed_bruck without any rotation, for uniform blocks and a downward schedule. padded_bruck runs
/// it on the padded blocks.
void zero_rotation_bruck(Call& call, const Blocks& blocks);

}  // namespace rondo::engines
