// A few ranks measure while the others leave them the machine.
#pragma once

#include <unistd.h>

#include "communicator.hpp"

namespace rondo::bench {

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
