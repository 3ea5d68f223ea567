// What messages cost between two ranks, measured.
#pragma once

#include "communicator.hpp"
#include "model/machine.hpp"

namespace rondo::bench {

/// Collective. A message between rank 0 and another, each the other's `partner`, while the ranks
/// whose partner is MPI_PROC_NULL sleep; the same on all ranks.
model::Link measure_link(const Communicator& comm, int partner);

/// Collective. `is_sender` on the ranks of one node, each with a `partner` on another; the partner
/// of all other ranks is MPI_PROC_NULL. Seconds for each byte that the senders send together, the
/// same on all ranks.
double measure_adapter(const Communicator& comm, bool is_sender, int partner, int senders);

}  // namespace rondo::bench
