#include "exchange/for_mpi.hpp"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "communicator/attributes.hpp"
#include "exchange/plan.hpp"
#include "transport/outstanding.hpp"

namespace rondo::exchange {

using communicator::Channel;
using communicator::State;

namespace {

/// A channel for as long as there is the request that it was taken for.
class TakenChannel {
 public:
  /// Collective. There may be none, on all ranks.
  TakenChannel(std::shared_ptr<State> state, std::size_t longest) : state_(std::move(state)) {
    state_->begin_exchange();
    channel_ = state_->channels().take(longest);
  }
  ~TakenChannel() {
    if (channel_) state_->channels().give_back(std::move(channel_));
  }
  TakenChannel(TakenChannel&&) noexcept = default;
  TakenChannel& operator=(TakenChannel&&) = delete;

  explicit operator bool() const { return channel_ != nullptr; }
  Channel& operator*() const { return *channel_; }
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
  std::unique_ptr<Channel> channel_;
};

template <class Arguments>
class Persistent final : public PersistentExchange {
 public:
  Persistent(std::unique_ptr<Plan<Arguments>> plan, TakenChannel channel, const BufferPair& buffers,
             NoteStart note, const LibraryRequests& requests)
      : channel_(std::move(channel)),
        plan_(std::move(plan)),
        buffers_(buffers),
        note_(std::move(note)),
        requests_(requests) {}

  /// Each start completes it.
  void attach(MPI_Request request) { request_ = request; }

  void start() noexcept override {
    const auto state = channel_.state();
    try {
      if (transport::has_outstanding()) transport::advance_outstanding();
      state->start_in(*channel_, body(), when_over());
    } catch (...) {
      state->begin_no_more();
      requests_.complete(request_, code_of(std::current_exception(), state->error_comm()));
    }
  }

 private:
  std::function<void()> body() {
    ending_ = {};
    return [this, execute = plan_->execution_in(*channel_, planned_, buffers_, {})]() mutable {
      execute();
      ending_ = {.algorithm = planned_.choice.algorithm, .has_succeeded = true};
    };
  }

  /// Once the request is complete, the program may free it in another thread, and this object with it.
  transport::Started::WhenOver when_over() {
    return [this, note = note_(), state = channel_.state()](const std::exception_ptr& error) {
      note(ending_);
      const auto complete = requests_.complete;
      complete(request_, code_of(error, state->error_comm()));
    };
  }

  TakenChannel channel_;
  std::unique_ptr<Plan<Arguments>> plan_;
  PlannedChoice planned_;  ///< only the execution in progress uses it
  Ending ending_;          ///< of that
  BufferPair buffers_;
  NoteStart note_;
  const LibraryRequests& requests_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Collective. Returns the state of `comm`, set up, if Rondo carries out what is started there; null otherwise.
/// The same on all ranks.
template <class Arguments>
std::shared_ptr<State> state_for_persistent(MPI_Comm comm) {
  if (communicator::has_ended(comm)) return nullptr;
  auto state = WhoOf<Arguments>().state_for_plan(comm);
  if (!state || !takes_starts(*state)) return nullptr;
  state->prepare();
  return progresses_in_mpi(*state) ? state : nullptr;
}

/// Collective. Returns the exchange, or null on all ranks.
template <class Arguments>
std::unique_ptr<Persistent<Arguments>> make_exchange(const std::shared_ptr<State>& state,
                                                     const Arguments& arguments, MPI_Info info,
                                                     NoteStart note,
                                                     const LibraryRequests& requests) {
  auto plan = Plan<Arguments>::make(arguments, info, std::nullopt);
  if (plan->leaves_starts()) return nullptr;
  TakenChannel channel(state, plan->longest());
  if (!channel) return nullptr;
  const BufferPair buffers{arguments.send_buffer, arguments.receive_buffer};
  plan->prepare_in(*channel, buffers);
  return std::make_unique<Persistent<Arguments>>(std::move(plan), std::move(channel), buffers,
                                                 std::move(note), requests);
}

}  // namespace

template <class Arguments>
int make_persistent(const Arguments& arguments, MPI_Info info, MPI_Request* request, bool& is_made,
                    NoteStart note, const LibraryRequests& requests) {
  is_made = false;
  return guarded(arguments.comm, [&] {
    const auto state = state_for_persistent<Arguments>(arguments.comm);
    if (!state) return;
    auto exchange = make_exchange(state, arguments, info, std::move(note), requests);
    if (!exchange) return;
    const MPI_Request made = requests.make_persistent(arguments.comm, exchange.get());
    if (made == MPI_REQUEST_NULL) throw std::bad_alloc();
    exchange.release()->attach(made);
    *request = made;
    is_made = true;
  });
}

#define RONDO_EXCHANGE(Arguments, ...)                                                   \
  template int make_persistent(const buffers::Arguments&, MPI_Info, MPI_Request*, bool&, \
                               NoteStart, const LibraryRequests&);
#define RONDO_LARGE_EXCHANGE(...)
#include "buffers/exchanges.def"

}  // namespace rondo::exchange
