// Started exchanges whose requests are MPI's, for code that replaces MPI_Ialltoall and its like, before the MPI
// library or inside it. They go on in every call of MPI in which the library makes progress.
#pragma once

#include <mpi.h>

#include <functional>

#include "buffers/form.hpp"
#include "communicator/state.hpp"
#include "registry/algorithm.hpp"

namespace rondo::exchange {

/// How a started exchange has ended. What it ran is named by its algorithm, which outlives the exchange.
struct Ending {
  const registry::Algorithm* algorithm = nullptr;  ///< null if the MPI library has carried it out
  bool has_succeeded = false;
};

/// Called when a started exchange is over, in whichever thread it ended. Must not throw or call MPI.
using NoteEnding = std::function<void(const Ending&)>;

/// How code inside the MPI library makes requests of its own kind. An object of this type lives for ever.
struct LibraryRequests {
  /// Returns MPI_REQUEST_NULL if there is no memory.
  MPI_Request (*make)(MPI_Comm comm);

  /// Completes a request with MPI's code, in whichever thread the exchange ended.
  void (*complete)(MPI_Request request, int code);

  /// Frees a request that the program has not been given.
  void (*discard)(MPI_Request request);
};

/// Local. Returns the state of `comm` if Rondo carries out exchanges of `form` that are started there.
/// Otherwise returns null: the MPI library must be called. All ranks find the same. A start never sets
/// up a communicator, since it must not wait for other ranks: blocking exchanges do.
communicator::State* state_for_starts(MPI_Comm comm, buffers::Form form);

/// Starts an exchange on the communicator of `state`. Never waits: if all channels are in use, the
/// exchange begins when its channel is free. It does not use the caller's types after it has returned;
/// arrays and buffers must stay. Returns and raises errors of the caller's arguments. All other errors
/// are those of the request, which is a generalized one if `requests` is null.
template <class Arguments>
int start_in_mpi(communicator::State& state, const Arguments& arguments, MPI_Request* request,
                 NoteEnding note, const LibraryRequests* requests);

}  // namespace rondo::exchange
