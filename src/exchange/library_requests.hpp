// Requests of the MPI library's own kinds for exchanges that Rondo carries out.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>

#include "registry/algorithm.hpp"

namespace rondo::exchange {

/// How a started exchange has ended. What it ran is named by its algorithm, which outlives the exchange.
struct Ending {
  const registry::Algorithm* algorithm = nullptr;  ///< null if the MPI library has carried it out
  bool has_succeeded = false;
};

/// Called when a started exchange is over, in whichever thread it ended. Must not throw or call MPI.
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

/// Returns the code of an exchange that is over, which the MPI library raises. If it ends the program, as errors
/// on `comm` may do, prints the text first.
int code_of(const std::exception_ptr& error, MPI_Comm comm);

}  // namespace rondo::exchange
