#include "exchange/for_mpi.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "communicator/attributes.hpp"
#include "exchange/guard.hpp"
#include "exchange/request.hpp"
#include "exchange/start.hpp"
#include "mpi/error.hpp"
#include "transport/outstanding.hpp"

namespace rondo::exchange {

using communicator::Channel;
using communicator::State;
using mpi::check;
using transport::Started;

namespace {

/// What a generalized request of MPI stands for.
struct Pending {
  std::shared_ptr<State> state;  ///< lives until the program has completed the request
  std::shared_ptr<Started> started{};
};

/// Sets the status and returns the error of an exchange that is over. Open MPI raises it on
/// MPI_COMM_WORLD, as it does for all generalized requests.
int query(void* pending, MPI_Status* status) {
  const auto& of = *static_cast<Pending*>(pending);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_ERROR =
      guarded_on([] { return is_fatal(MPI_COMM_WORLD) ? MPI_COMM_WORLD : MPI_COMM_NULL; },
                 [&] { of.started->rethrow(); });
  return status->MPI_ERROR;
}

int free_pending(void* pending) {
  delete static_cast<Pending*>(pending);
  return MPI_SUCCESS;
}

/// MPI does not allow it for exchanges. It goes on.
int cancel(void*, int) {
  return MPI_SUCCESS;
}

/// Returns what runs the exchange, and says how it has ended.
template <class Arguments>
std::function<void()> running(const std::shared_ptr<StartedExchange<Arguments>>& exchange,
                              const std::shared_ptr<Ending>& ending) {
  return [exchange, ending] {
    exchange->run();
    *ending = {.algorithm = exchange->algorithm(), .has_succeeded = true};
  };
}

/// Starts an exchange with a generalized request.
template <class Arguments>
void start_generalized(State& state, Channel& channel,
                       const std::shared_ptr<StartedExchange<Arguments>>& exchange,
                       MPI_Request* request, NoteEnding note) {
  auto pending = std::make_unique<Pending>(Pending{.state = state.shared_from_this()});
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Grequest_start(query, free_pending, cancel, pending.get(), &made),
        "MPI_Grequest_start");
  Pending& kept = *pending.release();  // free_pending frees it
  const auto ending = std::make_shared<Ending>();
  try {
    kept.started =
        state.start_in(channel, running(exchange, ending),
                       [made, ending, note = std::move(note)](const std::exception_ptr&) {
                         note(*ending);
                         PMPI_Grequest_complete(made);
                       });
  } catch (...) {
    PMPI_Grequest_complete(made);
    PMPI_Request_free(&made);
    throw;
  }
  *request = made;
}

/// Starts an exchange with a request of the MPI library's own kind, which raises errors itself. The request
/// keeps the communicator.
template <class Arguments>
void start_for_library(State& state, Channel& channel,
                       const std::shared_ptr<StartedExchange<Arguments>>& exchange, MPI_Comm comm,
                       MPI_Request* request, NoteEnding note, const LibraryRequests& requests) {
  const auto ending = std::make_shared<Ending>();
  const MPI_Request made = requests.make(comm);
  if (made == MPI_REQUEST_NULL) throw std::bad_alloc();
  try {
    state.start_in(channel, running(exchange, ending),
                   [made, ending, comm, &requests, kept = state.shared_from_this(),
                    note = std::move(note)](const std::exception_ptr& error) {
                     note(*ending);
                     requests.complete(made, code_of(error, comm));
                   });
  } catch (...) {
    requests.discard(made);
    throw;
  }
  *request = made;
}

}  // namespace

bool progresses_in_mpi(const State& state) {
  const communicator::Life life = state.life();
  return (life == communicator::Life::ready || life == communicator::Life::given_up) &&
         state.packs_raw() && state.can_have_progress_hook();
}

template <class Arguments>
State* state_for_starts(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  State* const state = communicator::known_state(comm);
  const bool is_ready = state != nullptr && progresses_in_mpi(*state) && takes_starts(*state) &&
                        WhoOf<Arguments>::can_start(*state, Arguments::kForm);
  return is_ready ? state : nullptr;
}

template <class Arguments>
int start_in_mpi(State& state, const Arguments& arguments, MPI_Request* request, NoteEnding note,
                 const LibraryRequests* requests) {
  return guarded(arguments.comm, [&] {
    if (transport::has_outstanding()) transport::advance_outstanding();
    Channel& channel = state.next_channel();
    const auto exchange = std::make_shared<StartedExchange<Arguments>>(state, channel, arguments);
    try {
      if (exchange->failure())  // it takes part all the same, so that the others learn of it
        state.start_in(channel, [exchange] { exchange->run(); });
      else if (requests == nullptr)
        start_generalized(state, channel, exchange, request, std::move(note));
      else
        start_for_library(state, channel, exchange, arguments.comm, request, std::move(note),
                          *requests);
    } catch (...) {
      state.begin_no_more();
      throw;
    }
    if (exchange->failure()) throw Error(*exchange->failure());
  });
}

#define RONDO_EXCHANGE(Arguments, ...)                                                   \
  template State* state_for_starts<buffers::Arguments>(MPI_Comm);                        \
  template int start_in_mpi(State&, const buffers::Arguments&, MPI_Request*, NoteEnding, \
                            const LibraryRequests*);
#include "buffers/exchanges.def"

}  // namespace rondo::exchange
