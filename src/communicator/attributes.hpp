// How states hang on communicators.
#pragma once

#include <mpi.h>

#include <memory>

#include "communicator/state.hpp"

namespace rondo::communicator {

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
