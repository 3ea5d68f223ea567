// The machine that the ranks of a communicator run on, measured.
#pragma once

#include <unistd.h>

#include "model/machine.hpp"
#include "support/cluster.hpp"
#include "support/communicator.hpp"

namespace rondo::bench {

using support::check_mpi;
using support::Communicator;

/// Collective. Takes a second or two. What these ranks cannot measure (messages between nodes if there
/// is one, messages inside a node of one rank) is taken from `known`. Returns the same on all ranks.
model::Machine measure_machine(const Communicator& comm, const support::Cluster& cluster,
                               const model::Machine& known);

/// Collective. What copies, arrivals and switches cost on a node. Rank 0 of `comm` measures its node,
/// with a neighbour if it has one, while the others sleep. `pair` holds these two ranks and is null on
/// the others. The adapter, and what one rank or one core cannot measure, are taken from `typical`.
model::Host measure_host(const Communicator& comm, const Communicator* pair,
                         const model::Host& typical);

/// Collective. What a message between rank 0 and another rank costs. Each is the other's `partner`.
/// Ranks whose partner is MPI_PROC_NULL sleep. Returns the same on all ranks.
model::Link measure_link(const Communicator& comm, int partner);

/// Collective. Returns, on all ranks, the seconds for each byte that the senders send together. The
/// senders (`is_sender`) are ranks of one node, and each has a `partner` on another node. The partner
/// of all other ranks is MPI_PROC_NULL.
double measure_adapter(const Communicator& comm, bool is_sender, int partner, int senders);

/// Collective. Runs `measure` on the ranks that are `measuring`, while the others sleep for `seconds`,
/// which is about as long. They sleep by the clock and call no MPI: ranks that ask now and then whether
/// the others are done hold up the connections that those are making (Open MPI 4.1 over TCP stood
/// still). A measurement that takes longer shares the machine with ranks that wait.
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
