// S, the largest block of all ranks, for the algorithms that begin with an Allreduce.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange::engines {

/// Agree on S (a plan remembers it). Collective.
std::size_t agree_on_largest(Call& call, const Blocks& blocks);

/// Whether P blocks of S bytes are beyond the bound for padding: then all ranks, which know S
/// alike, run spread_out instead.
bool is_beyond_padding(const Context& context, std::size_t largest);

/// Run spread_out in place of the algorithm of `call`.
void straight_instead(Call& call, const Blocks& blocks);

}  // namespace rondo::exchange::engines
