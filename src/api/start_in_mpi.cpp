#include "api/start_in_mpi.hpp"

#include <memory>
#include <utility>

#include "api/entry.hpp"
#include "api/request.hpp"
#include "api/started_exchange.hpp"
#include "communicator/attributes.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/progress_hook.hpp"
#include "exchange/progress_thread.hpp"

namespace rondo::api {

using communicator::Channel;
using communicator::State;
using exchange::check;
using exchange::Started;

namespace {

/// An exchange with a binding of its own, since that of its channel may still be in use.
template <class Arguments>
class QueuedExchange {
 public:
  QueuedExchange(State& state, Channel& channel, const Arguments& arguments)
      : state_(state),
        channel_(channel),
        before_(channel.started),
        exchange_(state, channel, binding_, arguments) {
    exchange_.hold_types(true);
  }

  const std::optional<Error>& failure() const { return exchange_.failure(); }

  /// Runs in a fiber. All ranks begin the exchanges of a channel in the same order.
  void run() {
    if (before_) Fiber::wait_until([&] { return before_->is_over(); });
    before_.reset();
    state_.context();  // throws if it cannot be used
    channel_.context().begin_exchange();
    choose();
    exchange_.run();
    ending_.has_succeeded = true;
  }

  const Ending& ending() const { return ending_; }

 private:
  /// The library cannot carry out an exchange whose turn comes after its start: collective calls on the
  /// caller's communicator must keep their order. So the ranks send their blocks as it does.
  void choose() {
    exchange_.choose();
    if (exchange_.choice().algorithm->shape == registry::Shape::library) {
      const auto collective = buffers::collective_of(Arguments::kForm);
      instead_ = channel_.context().defaults(collective, "spread_out");
      exchange_.choose(instead_);
    }
    ending_.choice = &exchange_.choice();
  }

  State& state_;
  Channel& channel_;
  std::shared_ptr<Started> before_;  ///< the exchange before this one in the channel
  buffers::Binding binding_;
  StartedExchange<Arguments> exchange_;
  choice::Choice instead_;
  Ending ending_;
};

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

/// What runs in a fiber, and what is done when it is over.
struct Work {
  std::function<void()> body;
  std::function<void()> when_over;
};

/// Begins an exchange to which nobody has a request.
void begin_alone(const std::shared_ptr<State>& state, Channel& channel, Work work) {
  exchange::begin_progress_hook();
  if (!state->settings().progress.empty()) exchange::begin_progress_thread();
  channel.started = Started::begin(std::move(work.body), [state, then = std::move(work.when_over)] {
    if (then) then();
  });
}

void begin(const std::shared_ptr<State>& state, Channel& channel, Work work, MPI_Request* request) {
  auto pending = std::make_unique<Pending>(Pending{.state = state});
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Grequest_start(query, free_pending, cancel, pending.get(), &made),
        "MPI_Grequest_start");
  Pending& kept = *pending.release();  // free_pending frees it
  work.when_over = [made, then = std::move(work.when_over)] {
    then();
    PMPI_Grequest_complete(made);
  };
  try {
    begin_alone(state, channel, std::move(work));
  } catch (...) {
    PMPI_Grequest_complete(made);
    PMPI_Request_free(&made);
    throw;
  }
  kept.started = channel.started;
  *request = made;
}

/// The first exchange of a channel: the MPI library carries it out, while the channel is prepared. If
/// it does not begin, this rank still takes part in the preparation.
template <class Arguments>
int start_first(const std::shared_ptr<State>& state, Channel& channel, const Arguments& arguments,
                MPI_Request* request, const NoteEnding& note) {
  state->begin_channel(channel);
  MPI_Request forwarded = MPI_REQUEST_NULL;
  const int code = arguments.forward(&forwarded);
  Work work{
      .body = [&kept = *state, &channel, forwarded] { prepare_beside(kept, channel, forwarded); },
      .when_over = [note] { note({.has_succeeded = true}); }};
  if (code == MPI_SUCCESS)
    begin(state, channel, std::move(work), request);
  else
    begin_alone(state, channel, {.body = std::move(work.body), .when_over = nullptr});
  return code;
}

template <class Arguments>
int start_queued(const std::shared_ptr<State>& state, Channel& channel, const Arguments& arguments,
                 MPI_Request* request, const NoteEnding& note) {
  const auto exchange = std::make_shared<QueuedExchange<Arguments>>(*state, channel, arguments);
  const std::optional<Error> failure = exchange->failure();
  Work work{.body = [exchange] { exchange->run(); },
            .when_over = [exchange, note] { note(exchange->ending()); }};
  if (!failure) {
    begin(state, channel, std::move(work), request);
    return MPI_SUCCESS;
  }
  // The others learn of it.
  begin_alone(state, channel, std::move(work));
  throw Error(*failure);
}

bool leaves_to_library(const State& state, buffers::Form form) {
  const auto& request = state.request(form);
  return request && request->algorithm->shape == registry::Shape::library;
}

}  // namespace

State* state_for_starts(MPI_Comm comm, buffers::Form form) {
  if (comm == MPI_COMM_NULL) return nullptr;
  State* state = communicator::recent_state(comm);
  if (state == nullptr)
    state = communicator::has_ended() ? nullptr : communicator::find_state(comm);
  const bool is_ready = state != nullptr && state->is_prepared() && !state->is_closed() &&
                        state->packs_raw() && state->can_have_progress_hook() &&
                        state->settings().nonblocking != 0 && state->settings().ab == 0 &&
                        !leaves_to_library(*state, form);
  return is_ready ? state : nullptr;
}

template <class Arguments>
int start_in_mpi(State& state, const Arguments& arguments, MPI_Request* request, NoteEnding note) {
  return guarded(arguments.comm, [&] {
    if (exchange::has_outstanding()) exchange::advance_outstanding();
    state.context();  // throws if it cannot be used
    Channel& channel = state.next_queue();
    const auto shared = state.shared_from_this();
    return channel.has_context() ? start_queued(shared, channel, arguments, request, note)
                                 : start_first(shared, channel, arguments, request, note);
  });
}

#define RONDO_START_IN_MPI(Arguments) \
  template int start_in_mpi(State&, const buffers::Arguments&, MPI_Request*, NoteEnding);
RONDO_START_IN_MPI(Alltoall)
RONDO_START_IN_MPI(Alltoallv)
RONDO_START_IN_MPI(Alltoallw)
#if MPI_VERSION >= 4
RONDO_START_IN_MPI(LargeAlltoall)
RONDO_START_IN_MPI(LargeAlltoallv)
RONDO_START_IN_MPI(LargeAlltoallw)
#endif
#undef RONDO_START_IN_MPI

}  // namespace rondo::api
