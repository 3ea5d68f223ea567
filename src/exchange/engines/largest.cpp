#include "exchange/engines/largest.hpp"

#include <algorithm>
#include <cstdint>

#include "exchange/engines/engines.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange::engines {

std::size_t agree_on_largest(Call& call, const Blocks& blocks) {
  if (call.sizes_known()) return call.learned->largest;
  std::uint64_t largest = 0;
  blocks.send.for_each(
      [&](const ConstBlock& block) { largest = std::max<std::uint64_t>(largest, block.bytes); });
  check(PMPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_UINT64_T, MPI_MAX, call.context.comm),
        "MPI_Allreduce");
  if (call.is_learning()) call.learned->largest = largest;
  return largest;
}

bool is_beyond_padding(const Context& context, std::size_t largest) {
  return largest > context.limits.padding_bytes / static_cast<std::size_t>(context.ranks);
}

void straight_instead(Call& call, const Blocks& blocks) {
  const auto choice = call.context.defaults(registry::Collective::alltoallv, "spread_out");
  Call instead{.context = call.context, .choice = choice};
  straight(instead, blocks);
}

}  // namespace rondo::exchange::engines
