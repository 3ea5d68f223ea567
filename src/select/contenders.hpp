// Which algorithms a plan tries on an exchange, beside the one that `auto` runs.
#pragma once

#include <cstddef>
#include <vector>

#include "select/variants.hpp"

namespace rondo::select {

/// The most that are tried.
inline constexpr std::size_t kMostContenders = 6;

/// `own`, then the MPI library's own call, then those that are predicted to be the fastest of what
/// plans consider, for blocks of up to S = `block_bytes`. All differ in what they do.
std::vector<choice::Choice> contenders(const choice::Choice& own, const Place& place,
                                       const model::Machine& machine, std::size_t block_bytes);

}  // namespace rondo::select
