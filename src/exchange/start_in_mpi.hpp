// Started exchanges whose requests are MPI's, for code that replaces MPI_Ialltoall and its like, before the MPI
// library or inside it. They go on in every call of MPI in which the library makes progress.
#pragma once

#include <mpi.h>

#include "communicator/state.hpp"
#include "exchange/library_requests.hpp"

namespace rondo::exchange {

/// Whether Rondo carries out what is started on the communicator of `state`, which is set up: the same on all ranks.
bool progresses_in_mpi(const communicator::State& state);

/// Whether the user wants Rondo to carry out what the program starts.
inline bool takes_starts(const communicator::State& state) {
  return state.settings().nonblocking != 0 && state.settings().ab == 0;
}

/// Local. Returns the state of `comm` if Rondo carries out exchanges of these arguments that are started there.
/// Otherwise returns null: the MPI library must be called. All ranks find the same. A start never sets
/// up a communicator, since it must not wait for other ranks: blocking exchanges do.
template <class Arguments>
communicator::State* state_for_starts(MPI_Comm comm);

/// Starts an exchange on the communicator of `state`. Never waits: if all channels are in use, the
/// exchange begins when its channel is free. It does not use the caller's types after it has returned;
/// arrays and buffers must stay. Returns and raises errors of the caller's arguments. All other errors
/// are those of the request, which is a generalized one if `requests` is null.
template <class Arguments>
int start_in_mpi(communicator::State& state, const Arguments& arguments, MPI_Request* request,
                 NoteEnding note, const LibraryRequests* requests);

}  // namespace rondo::exchange
