// Which algorithms are worth a race at one length of blocks: those that the model cannot separate.
#pragma once

#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/variants.hpp"

namespace rondo::bench {

/// The MPI library's own call, of which the model knows nothing; what `auto` would run without a
/// profile; and of all variants that tuning considers those that the model takes for no slower than
/// twice the fastest. A dozen at most.
std::vector<choice::Request> entrants(registry::Collective collective, const select::Place& place,
                                      const model::Machine& machine, std::int64_t block_bytes);

}  // namespace rondo::bench
