// What a node costs by itself, measured: copies, arrivals, switches.
#pragma once

#include "communicator.hpp"
#include "model/machine.hpp"

namespace rondo::bench {

/// Collective. The node of rank 0 of `comm`, measured by it and, where there is one, a neighbour,
/// while the others sleep: `pair` holds those two, and is null on the other ranks. All but the
/// adapter, which is `typical`'s, as is what one rank or one core cannot show.
model::Host measure_host(const Communicator& comm, const Communicator* pair,
                         const model::Host& typical);

}  // namespace rondo::bench
