// What code uses that replaces MPI's own calls, before the MPI library or inside it: exchanges as calls, as starts
// whose requests are MPI's, and as persistent requests. What is started goes on in every call of MPI in which the
// library makes progress.
#pragma once

#include <mpi.h>

#include <functional>

#include "buffers/neighbor.hpp"
#include "communicator/state.hpp"
#include "registry/algorithm.hpp"

namespace rondo::exchange {

/// Collective. Does what the functions of the C interface with these arguments do, and returns MPI's code.
template <class Arguments>
int carry_out(const Arguments& arguments);

/// How a nonblocking exchange has ended. What it ran is named by its algorithm, which outlives the exchange.
struct Ending {
  const registry::Algorithm* algorithm = nullptr;  ///< null if the MPI library has carried it out
  bool has_succeeded = false;
};

/// Called when a nonblocking exchange is over, in whichever thread it ended. Must not throw or call MPI.
using NoteEnding = std::function<void(const Ending&)>;

/// What the program does with a persistent request.
class PersistentExchange {
 public:
  virtual ~PersistentExchange() = default;

  /// Starts the exchange, which completes the request; never waits. The errors are those of the request. It
  /// must not be active.
  virtual void start() noexcept = 0;
};

/// How code inside the MPI library makes requests of its own kind. An object of this type lives for ever.
struct LibraryRequests {
  /// Returns MPI_REQUEST_NULL if there is no memory.
  MPI_Request (*make)(MPI_Comm comm);

  /// The same for a persistent request, which is inactive. It starts `exchange`, and deletes it when it is freed.
  MPI_Request (*make_persistent)(MPI_Comm comm, PersistentExchange* exchange);

  /// Completes a request with MPI's code, in whichever thread the exchange ended.
  void (*complete)(MPI_Request request, int code);

  /// Frees a request that the program has not been given.
  void (*discard)(MPI_Request request);
};

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

/// Called at each start of a persistent request. Returns what notes its end.
using NoteStart = std::function<NoteEnding()>;

/// Collective. Makes a persistent request for the exchange, if Rondo can carry it out, and returns whether it has.
/// Otherwise the MPI library must be called. All ranks find the same. The communicator is set up for it. Returns and
/// raises errors: wrong arguments are errors on all ranks. All other errors are those of the request. Copies are made
/// of the arguments' arrays and types.
///
/// The request is a plan with a channel of its own: all ranks make such requests in one order, but each starts them
/// in an order of its own.
template <class Arguments>
int make_persistent(const Arguments& arguments, MPI_Info info, MPI_Request* request, bool& is_made,
                    NoteStart note, const LibraryRequests& requests);

}  // namespace rondo::exchange
