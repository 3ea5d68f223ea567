// What a node costs by itself, measured: copies, arrivals, switches.
#pragma once

#include "communicator.hpp"
#include "model/machine.hpp"

namespace rondo::bench {

/// Collective over the ranks of the first node, of which the first one or two measure; all but the
/// adapter, which is `typical`'s, as is what one rank or one core cannot show.
model::Host measure_host(const Communicator& node, const model::Host& typical);

}  // namespace rondo::bench
