// The algorithms that are worth a race at one block length: those that the model cannot tell apart.
#pragma once

#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/variants.hpp"

namespace rondo::bench {

/// The MPI library's own call, which the model does not know; the algorithm that `auto` would run
/// without a profile; and those variants of tuning that are predicted to take at most twice as long as
/// the fastest. Returns a dozen at most.
std::vector<choice::OpenChoice> choices_to_race(registry::Collective collective,
                                                const select::Place& place,
                                                const model::Machine& machine,
                                                std::int64_t block_bytes);

}  // namespace rondo::bench
