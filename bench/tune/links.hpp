// What messages cost between two ranks, measured.
#pragma once

#include "communicator.hpp"
#include "model/machine.hpp"

namespace rondo::bench {

/// Collective. A message between the first two ranks of `comm`, while all others sleep; the same on
/// all ranks.
model::Link measure_link(const Communicator& comm);

/// Collective over two groups, `is_sender` on the ranks of one node, each with a `partner` in the
/// other: seconds for each byte that the senders send together. The same on all ranks.
double measure_adapter(const Communicator& comm, bool is_sender, int partner, int senders);

/// Collective. Wait for all ranks asleep, so that those which measure have the machine.
void meet_asleep(const Communicator& comm);

}  // namespace rondo::bench
