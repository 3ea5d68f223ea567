// How much a simulation has to do, counted before it starts.
#pragma once

#include "simulate/play.hpp"

namespace rondo::simulate {

/// The visits that Run::visited() will be told of. Second messages for data that may not fit into first ones
/// are not counted.
double count_visits(const Exchange& exchange, const Machine& machine);

}  // namespace rondo::simulate
