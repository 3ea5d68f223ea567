// From the user's communicator to its state, which hangs on it as an attribute.
#pragma once

#include <mpi.h>

#include <memory>

#include "communicator/state.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::communicator {

/// Whether `comm` is an inter-communicator. Throws Error(communicator) for MPI_COMM_NULL.
inline bool is_inter(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Error(ErrorClass::communicator, "comm is MPI_COMM_NULL");
  int inter = 0;
  exchange::check(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  return inter != 0;
}

inline void require_intra(MPI_Comm comm) {
  if (is_inter(comm))
    throw Error(ErrorClass::communicator,
                "comm is an inter-communicator: its exchanges are the MPI library's own");
}

/// Local. Whether MPI_Finalize has freed what the states keep. Exchanges are the MPI library's from
/// then on: delete callbacks of MPI_COMM_SELF, and sessions that outlive MPI_Finalize, may still make
/// some.
bool has_ended();

/// The state of an intra-communicator, made at its first call. Collective then: rank 0's settings
/// are broadcast. Throws Error(other) where there is none and has_ended().
std::shared_ptr<State>& state_of(MPI_Comm comm);

/// Local. The state that a communicator has, or null.
State* find_state(MPI_Comm comm);

/// Local. The state if this thread asked for it not long ago, else null. Costs no call of MPI's,
/// which a rank finds cold in its caches where ranks share cores.
State* recent_state(MPI_Comm comm);

}  // namespace rondo::communicator
