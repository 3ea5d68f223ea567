// An exchange by a flat schedule: rounds between ranks.
#pragma once

#include "simulate/run.hpp"

namespace rondo::simulate {

/// The whole exchange of an algorithm that has_flat_schedule().
void run_flat(Run& run, const Exchange& exchange);

/// Blocks above `limit`, straight to their ranks, all in flight together.
void run_long_blocks(Run& run, const Exchange& exchange, const Sums& sums);

}  // namespace rondo::simulate
