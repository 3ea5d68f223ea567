// Finds the state of the user's communicator. The state is an attribute of the communicator.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "communicator/state.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

/// Whether `comm` is an inter-communicator. Throws Error(communicator) for MPI_COMM_NULL.
inline bool is_inter(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Error(ErrorClass::communicator, "comm is MPI_COMM_NULL");
  int inter = 0;
  mpi::check(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  return inter != 0;
}

inline void require_intra(MPI_Comm comm) {
  if (is_inter(comm))
    throw Error(ErrorClass::communicator,
                "comm is an inter-communicator; Rondo forwards its exchanges to the MPI library");
}

/// Local. Whether exchanges on `comm` are forwarded since MPI_Finalize has begun: delete callbacks of MPI_COMM_SELF, and
/// sessions that outlive MPI_Finalize, may still make some. A state lives until MPI deletes the attributes of
/// MPI_COMM_SELF, which MPICH leaves to the end of the last session. The same on all ranks, since no exchange overlaps
/// MPI_Finalize.
bool has_ended(MPI_Comm comm);

/// Local. Makes all communicators note what they have learned (State::note_learned()).
void note_all_learned();

/// Returns the state of an intra-communicator. The first call makes it and is collective: the ranks take rank 0's
/// settings. Throws Error(other) if has_ended().
std::shared_ptr<State>& state_of(MPI_Comm comm);

/// Local. Returns the state of a communicator, or null if it has none, or has none any more.
State* find_state(MPI_Comm comm);

/// Local. Whether `comm` still exists; set to false when it is freed.
std::shared_ptr<const std::atomic<bool>> existence_of(MPI_Comm comm);

/// Local. Returns the state if this thread used it recently, else null. It makes no MPI call,
/// because where ranks share cores, MPI's code is cold in the caches.
State* recent_state(MPI_Comm comm);

/// Local. Returns what find_state() does, without a call of MPI if this thread used the state recently.
State* known_state(MPI_Comm comm);

}  // namespace rondo::communicator
