// Which algorithms are worth trying on an exchange, beside the one that `auto` runs.
#pragma once

#include <cstddef>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/predicted.hpp"

namespace rondo::select {

/// At most so many.
inline constexpr std::size_t kMostContenders = 6;

/// `own`, then the MPI library's own call, then those of what may be the fastest by the model that
/// are predicted to be, for blocks of up to S = `block_bytes`. All differ.
std::vector<choice::Choice> contenders(const choice::Choice& own, const Place& place,
                                       const model::Machine& machine, std::size_t block_bytes);

}  // namespace rondo::select
