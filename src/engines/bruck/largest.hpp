// S, the length of the largest block of all ranks, for the algorithms that begin with an allreduce.
#pragma once

#include <cstdint>

#include "engines/engines.hpp"
#include "mpi/error.hpp"
#include "mpi/progress.hpp"
#include "mpi/transport.hpp"
#include "transport/agreement.hpp"

namespace rondo::engines {

/// Collective. Agrees on S, unless a plan knows it. In calls by MPI_Allreduce, as the algorithms were
/// published.
inline std::size_t largest_on_any_rank(Call& call, const Blocks& blocks) {
  if (call.sizes_known()) return call.learned->largest;
  std::uint64_t largest = blocks.send.longest();
  if (Fiber::is_running()) {
    largest = transport::greatest_of_all(call.context.tagged(), largest);
  } else {
    mpi::before_library_call();
    mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_UINT64_T, MPI_MAX,
                              mpi::comm_of(call.context.transport())),
               "MPI_Allreduce");
  }
  if (call.is_learning()) call.learned->largest = largest;
  return largest;
}

/// Whether P blocks of S bytes exceed RONDO_PADDING_BYTES. Then all ranks run spread_out instead,
/// since all know S.
inline bool exceeds_padding(const Context& context, std::size_t largest) {
  return largest > context.limits.padding_bytes / static_cast<std::size_t>(context.ranks);
}

/// Runs spread_out in place of the algorithm of `call`.
inline void run_spread_out(Call& call, const Blocks& blocks) {
  const auto choice = call.context.defaults(registry::Collective::alltoallv, "spread_out");
  Call instead{.context = call.context, .choice = choice};
  straight(instead, blocks);
}

}  // namespace rondo::engines
