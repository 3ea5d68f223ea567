// Which algorithms are worth a race at one length of blocks: those that the model cannot separate.
#pragma once

#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/predicted.hpp"

namespace rondo::bench {

/// Of the whole registry, in several radices and with several thresholds, those that the model
/// takes for no slower than twice the fastest, at most a dozen; and in any case what `auto` would
/// run without a profile and the MPI library's own call, of which the model knows nothing.
std::vector<choice::Request> entrants(registry::Collective collective, const select::Place& place,
                                      const model::Machine& machine, std::int64_t block_bytes);

}  // namespace rondo::bench
