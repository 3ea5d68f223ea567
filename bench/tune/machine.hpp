// The machine that the ranks of a communicator run on, measured.
#pragma once

#include <unistd.h>

#include "model/machine.hpp"
#include "support/cluster.hpp"
#include "support/communicator.hpp"

namespace rondo::bench {

using support::check_mpi;
using support::Communicator;

/// Collective; takes a second or two. What these ranks cannot show (messages between nodes on a
/// single one, messages inside a node of one rank each) is as in `known`. The same on all ranks.
model::Machine measure_machine(const Communicator& comm, const support::Cluster& cluster,
                               const model::Machine& known);

/// Collective. What a node costs by itself: copies, arrivals, switches. The node of rank 0 of `comm`,
/// measured by it and, where there is one, a neighbour, while the others sleep: `pair` holds those two,
/// and is null on the other ranks. All but the adapter, which is `typical`'s, as is what one rank or one
/// core cannot show.
model::Host measure_host(const Communicator& comm, const Communicator* pair,
                         const model::Host& typical);

/// Collective. A message between rank 0 and another, each the other's `partner`, while the ranks
/// whose partner is MPI_PROC_NULL sleep; the same on all ranks.
model::Link measure_link(const Communicator& comm, int partner);

/// Collective. `is_sender` on the ranks of one node, each with a `partner` on another; the partner
/// of all other ranks is MPI_PROC_NULL. Seconds for each byte that the senders send together, the
/// same on all ranks.
double measure_adapter(const Communicator& comm, bool is_sender, int partner, int senders);

/// Collective. Run `measure` on the ranks that are `measuring`, while the others sleep for
/// `seconds`, about what it takes. They sleep by the clock and ask MPI nothing: ranks that look now
/// and then whether the others are done hold up the connections that these are making (Open MPI 4.1
/// over TCP stood still). What takes longer shares the machine with ranks that wait.
template <class Measure>
void measure_alone(const Communicator& comm, bool measuring, double seconds, Measure&& measure) {
  constexpr double kToFallAsleep = 5e-3;
  const auto sleep = [](double time) { usleep(static_cast<useconds_t>(time * 1e6)); };
  check_mpi(MPI_Barrier(comm.get()), "MPI_Barrier");
  if (measuring) {
    sleep(kToFallAsleep);
    measure();
  } else {
    sleep(kToFallAsleep + seconds);
  }
  check_mpi(MPI_Barrier(comm.get()), "MPI_Barrier");
}

}  // namespace rondo::bench
