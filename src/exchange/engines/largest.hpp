// S, the largest block of all ranks, for the algorithms that begin with an Allreduce.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exchange/engines/engines.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange::engines {

/// Agree on S (a plan remembers it). Collective.
inline std::size_t agree_on_largest(Call& call, const Blocks& blocks) {
  if (call.sizes_known()) return call.learned->largest;
  std::uint64_t largest = 0;
  blocks.send.for_each(
      [&](const ConstBlock& block) { largest = std::max<std::uint64_t>(largest, block.bytes); });
  check(PMPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_UINT64_T, MPI_MAX, call.context.comm),
        "MPI_Allreduce");
  if (call.is_learning()) call.learned->largest = largest;
  return largest;
}

/// Whether P blocks of S bytes are beyond the bound for padding: then all ranks, which know S
/// alike, run spread_out instead.
inline bool is_beyond_padding(const Context& context, std::size_t largest) {
  return largest > context.limits.padding_bytes / static_cast<std::size_t>(context.ranks);
}

/// Run spread_out in place of the algorithm of `call`.
inline void straight_instead(Call& call, const Blocks& blocks) {
  const auto choice = call.context.defaults(registry::Collective::alltoallv, "spread_out");
  Call instead{.context = call.context, .choice = choice};
  straight(instead, blocks);
}

}  // namespace rondo::exchange::engines
