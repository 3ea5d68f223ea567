// Requests: exchanges that were started and wait to be completed.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "communicator/state.hpp"
#include "exchange/guard.hpp"
#include "rondo/rondo.h"
#include "transport/outstanding.hpp"

struct Rondo_Request_s {
  virtual ~Rondo_Request_s() = default;

  /// Lets exchanges go on. Returns whether this one is over.
  virtual bool test() = 0;

  /// Waits until it is over.
  virtual void wait() = 0;

  /// Call it when it is over, before finish(): in every request that the program completes, though the error of
  /// one may be all that it hears of the others.
  virtual void hand_over() {}

  /// Call it when it is over. Returns the MPI library's code of a forwarded exchange, whose errors
  /// have been raised; throws the error of any other.
  virtual int finish() = 0;

  /// Where its errors are raised.
  virtual MPI_Comm error_comm() const = 0;
};

namespace rondo::exchange {

/// Whether MPI_Finalize has ended, after which nothing of MPI may be called.
bool is_finalized();

/// Returns the state of a communicator that has been set up, or null. A start never sets up, since it
/// must not wait for other ranks. All ranks find the same.
communicator::State* ready_state(MPI_Comm comm);

/// What State::start_in() returns.
struct Begun {
  std::shared_ptr<transport::Started> started;

  /// If set, gives the program what only its own stack may give it, when it completes the request.
  std::function<void()> hand_over{};
};

/// Returns a request for the exchange that `start` begins. It is made first: if there is no memory for it,
/// nothing is started.
Rondo_Request start_with_request(const std::shared_ptr<communicator::State>& state,
                                 const std::function<Begun()>& start);

/// Of an exchange that the MPI library carries out. `kept` is what the library uses until it is over.
Rondo_Request forwarded_request(MPI_Request request, MPI_Comm comm,
                                std::shared_ptr<const void> kept = nullptr);

/// Lets the MPI library start the exchange. Returns MPI's error code.
template <class Arguments>
int start_forwarded(const Arguments& arguments, Rondo_Request* request) {
  MPI_Request forwarded = MPI_REQUEST_NULL;
  const int code = forward_start(arguments, &forwarded);
  if (code == MPI_SUCCESS) *request = forwarded_request(forwarded, arguments.comm);
  return code;
}

/// Throws Error(argument) unless the caller has a place for a request.
void require_request(const Rondo_Request* request);

/// The same; the request becomes RONDO_REQUEST_NULL.
void clear_request(Rondo_Request* request);

}  // namespace rondo::exchange
