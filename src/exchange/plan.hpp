// An exchange as a plan: it owns copies of the arguments, and is executed with other buffers again and again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "communicator/announcement.hpp"
#include "exchange/planned.hpp"
#include "exchange/request.hpp"
#include "exchange/watched.hpp"
#include "exchange/who.hpp"
#include "mpi/error.hpp"
#include "mpi/transport.hpp"
#include "transport/agreement.hpp"
#include "transport/outstanding.hpp"

struct Rondo_Plan_s {
  virtual ~Rondo_Plan_s() = default;
  virtual void execute(const void* send_buffer, void* receive_buffer) = 0;
  virtual MPI_Comm error_comm() const = 0;
  virtual Rondo_Request start(const void* send_buffer, void* receive_buffer) = 0;
  virtual std::string algorithm() const = 0;

  std::shared_ptr<const void> keeps{};  ///< what the caller may read as long as the plan lives
};

namespace rondo::exchange {

/// The executions of a plan that were started. The destructor waits until they are over.
class StartedExecutions {
 public:
  StartedExecutions() = default;
  StartedExecutions(const StartedExecutions&) = delete;
  StartedExecutions& operator=(const StartedExecutions&) = delete;
  ~StartedExecutions() {
    for (const InChannel& execution : by_channel_)
      if (execution.last) execution.last->complete();
  }

  /// Starts what body_in(channel, planned) returns. What it learns holds for its channel, whose shared
  /// memory may have shorter slots than another's.
  template <class BodyIn>
  Rondo_Request start(const std::shared_ptr<communicator::State>& state, BodyIn&& body_in) {
    const auto begin = [&] {
      communicator::Channel& channel = state->next_channel();
      if (by_channel_.size() < state->channels().in_ring())
        by_channel_.resize(state->channels().in_ring());
      InChannel& own = by_channel_[channel.number];
      own.last = state->start_in(channel, body_in(channel, own.planned));
      return Begun{own.last};
    };
    return start_with_request(state, std::ref(begin));  // std::function would allocate for captures
  }

 private:
  /// References stay valid. Only the execution in progress in the channel uses `planned`.
  struct InChannel {
    PlannedChoice planned;
    std::shared_ptr<transport::Started> last;
  };

  std::deque<InChannel> by_channel_;
};

/// Under `auto`, its blocking executions learn.
template <class Arguments>
class Plan final : public Rondo_Plan_s {
  using Who = WhoOf<Arguments>;

 public:
  /// Collective. `failure` is what this rank has already found wrong.
  static std::unique_ptr<Plan> make(const Arguments& arguments, MPI_Info info,
                                    const std::optional<Error>& failure, Who who = {}) {
    const auto state = who.state_for_plan(arguments.comm);
    auto plan = std::make_unique<Plan>(arguments, who, state);
    if (state) state->prepare();
    if (state && state->life() != communicator::Life::forwarding) {
      engines::Context& context = state->begin_exchange();
      who.prepare(*state);
      const auto hints =
          communicator::hints_of_rank_0(mpi::comm_of(context.transport()), info, failure);
      plan->begin(context, hints);
    } else {
      if (failure) throw Error(*failure);
      plan->copy_arguments();
    }
    return plan;
  }

  /// See make().
  Plan(const Arguments& arguments, Who who, std::shared_ptr<communicator::State> state)
      : who_(std::move(who)),
        is_in_place_(arguments.send_buffer == MPI_IN_PLACE),
        arguments_(arguments),
        state_(std::move(state)) {}

  ~Plan() override {
    if (state_) planned_.end(*state_);
  }

  std::string algorithm() const override {
    const choice::Choice& best = planned_.best().choice;
    return is_forwarded(best) ? "mpi" : best.text();
  }

  /// Flattened, as calls are.
  [[gnu::flatten]] void execute(const void* send_buffer, void* receive_buffer) override {
    if (state_ && !state_->goes_straight()) return execute_aside(send_buffer, receive_buffer);
    execute_here({send_buffer, receive_buffer});
  }

  Rondo_Request start(const void* send_buffer, void* receive_buffer) override {
    const BufferPair buffers{send_buffer, receive_buffer};
    const choice::Choice& best = planned_.best().choice;
    if (leaves_start_to_library(best)) return start_forwarded(buffers, check(best, buffers));
    auto failure = check(buffers);
    return started_.start(state_, [&](communicator::Channel& channel, PlannedChoice& planned) {
      return execution_in(channel, planned, buffers, failure);
    });
  }

  /// The length of the longest block that any rank sends.
  std::size_t longest() const { return longest_; }

  /// Whether the executions that are started are the MPI library's. The same on all ranks.
  bool leaves_starts() const { return is_closed() || is_forwarded(planned_.best().choice); }

  /// Collective. Makes what executions in `channel`, which runs no others, will need. If a rank's buffers are
  /// wrong, all ranks throw.
  void prepare_in(communicator::Channel& channel, const BufferPair& buffers) {
    transport::fail_together(state_->begin_exchange().tagged(), check(buffers));
    channel.context().begin_exchange();
    channel.usable(planned_.best().choice, longest_);
    channel.set_prepared();
  }

  /// Returns what carries out one execution, to be started in `channel`. `failure` is what this rank has found
  /// wrong.
  auto execution_in(communicator::Channel& channel, PlannedChoice& planned,
                    const BufferPair& buffers, std::optional<Error> failure) {
    auto& workspace = who_.workspace(*state_, channel);
    return [this, &channel, &workspace, &planned, chosen = planned_.best().choice, buffers,
            failure = std::move(failure)]() mutable {
      planned.change_to(channel.instead_of_library(channel.usable(chosen, longest_)));
      execute_in(channel.context(), workspace, planned, buffers, failure);
    };
  }

  MPI_Comm error_comm() const override { return state_ ? state_->error_comm() : arguments_.comm; }

 private:
  /// Collective. Decides what it runs.
  void begin(engines::Context& context, const communicator::Hints& hints) {
    const bool measures = communicator::requests_measuring(hints);
    communicator::ChoiceOrAuto request;
    auto failure = failure_of([&] {
      request = request_of(hints);
      copy_arguments();
      who_.bind(*state_, binding_, arguments_);
    });
    who_.compare_lengths(context, who_.workspace(*state_, state_->own()), std::move(failure),
                         binding_);
    longest_ = communicator::longest_of_any_rank(context, binding_);
    pattern_ = who_.pattern_for(*state_, binding_);
    is_named_ = request.has_value();
    const bool learns = !is_named_ && state_->packs_raw() && (measures || state_->learns());
    planned_.begin(
        who_.choose_for_plan(*state_, Arguments::kForm, request, longest_, binding_, pattern_),
        !learns    ? kLearnsNothing
        : measures ? kMeasures
                   : kLearns);
  }

  void copy_arguments() {
    const auto partners = who_.partners(state_.get(), arguments_.comm);
    if (!is_in_place_) arguments_.send.copy(*copies_, partners.to);
    arguments_.receive.copy(*copies_, partners.from);
  }

  communicator::ChoiceOrAuto request_of(const communicator::Hints& hints) const {
    const auto& hint = hints.algorithms[static_cast<std::size_t>(Arguments::kForm)];
    return hint ? communicator::parse_choice(Arguments::kForm, hint->c_str())
                : state_->choice_or_auto(Arguments::kForm);
  }

  /// Whether Rondo carries out no exchanges on the communicator: it could not set itself up, or MPI_Finalize has begun.
  bool is_closed() const {
    return state_ && (state_->life() == communicator::Life::closed || has_no_context());
  }
  bool has_no_context() const { return !state_->own().has_context(); }

  /// Whether the exchange is one of the MPI library's.
  bool is_forwarded(const choice::Choice& choice) const {
    return !state_ || has_no_context() || !state_->packs_raw() || choice.algorithm->is_library();
  }
  bool leaves_to_library(const choice::Choice& choice) const {
    return is_forwarded(choice) && who_.can_forward(state_.get());
  }

  /// Where Rondo can start an exchange, a start is the library's only if the library was asked for by name: in Open
  /// MPI 4.1 a rank without any block does not count a start as the others do, and their next nonblocking collective
  /// on the communicator, such as a Learner's, never ends.
  bool leaves_start_to_library(const choice::Choice& choice) const {
    if (!state_ || is_closed() || !state_->packs_raw()) return true;
    return is_named_ && leaves_to_library(choice);
  }

  /// Whether all ranks return the error of one, whatever carries out the exchange.
  bool is_checked() const { return state_ && state_->settings().check != 0; }

  /// The MPI library checks the buffers of what it carries out itself.
  std::optional<Error> check(const choice::Choice& choice, const BufferPair& buffers) const {
    if (!leaves_to_library(choice)) return check(buffers);
    return failure_of([&] { who_.check_in_place(buffers, is_in_place_); });
  }
  std::optional<Error> check(const BufferPair& buffers) const {
    return failure_of([&] {
      who_.check_in_place(buffers, is_in_place_);
      binding_.check_buffers(buffers.send, buffers.receive);
    });
  }

  void execute_here(const BufferPair& buffers) {
    if (state_) state_->begin_exchange();
    if (planned_.is_turn_over()) return begin_turn(buffers);
    run(planned_.next(), buffers);
  }

  /// On a communicator that is closed, or watched, or on which Rondo could not set itself up.
  [[gnu::noinline]] void execute_aside(const void* send_buffer, void* receive_buffer) {
    const BufferPair buffers{send_buffer, receive_buffer};
    const InExchange in_exchange(*state_, Arguments::kForm);
    if (is_closed())
      return forward(buffers, failure_of([&] { who_.check_in_place(buffers, is_in_place_); }));
    execute_here(buffers);
  }

  void run(PlannedChoice& planned, const BufferPair& buffers) {
    auto failure = is_checked() ? check(buffers) : check(planned.choice, buffers);
    if (leaves_to_library(planned.choice)) {
      if (is_checked()) transport::fail_together(state_->context().tagged(), failure);
      return forward(buffers, failure);
    }
    if (is_forwarded(planned.choice))
      planned.choice = state_->own().spread_out(planned.choice.algorithm->collective);
    execute_in(state_->context(), who_.workspace(*state_, state_->own()), planned, buffers,
               failure);
  }

  /// The first execution of a turn.
  [[gnu::noinline]] void begin_turn(const BufferPair& buffers) {
    if (!planned_.has_learner())
      planned_.make_learner(*state_, [&] {
        return who_.choices_to_try(*state_, planned_.best().choice, longest_, pattern_);
      });
    communicator::Learner* const learner = planned_.begin_turn(*state_, longest_);
    PlannedChoice& planned = planned_.next();
    if (planned_.must_check_together())
      planned_.at_cost_of_trial([&] { check_together(learner, buffers); });
    if (learner == nullptr) return run(planned, buffers);
    learner->timed([&]() -> int {
      run(planned, buffers);
      return MPI_SUCCESS;
    });
  }

  /// Collective. If a rank has a failure, all ranks throw, and the execution counts as a failed one if it is timed.
  void check_together(communicator::Learner* learner, const BufferPair& buffers) {
    try {
      transport::fail_together(state_->context().tagged(), check(buffers));
    } catch (...) {
      if (learner != nullptr) learner->record_failure();
      throw;
    }
  }

  void execute_in(engines::Context& context, typename Who::Workspace& workspace,
                  PlannedChoice& planned, const BufferPair& buffers,
                  std::optional<Error>& failure) {
    exchange::execute({.state = *state_,
                       .context = context,
                       .choice = planned.choice,
                       .binding = binding_,
                       .send_buffer = buffers.send,
                       .receive_buffer = buffers.receive,
                       .failure = failure,
                       .peers = who_.peers(workspace),
                       .pattern = pattern_ ? &*pattern_ : nullptr,
                       .learned = &planned.learned});
  }

  // Executions that the MPI library carries out.

  void forward(const BufferPair& buffers, const std::optional<Error>& failure) {
    if (failure) throw Error(*failure);
    set_forwarded(buffers);
    mpi::check(exchange::forward(arguments_), "a forwarded exchange");
  }

  Rondo_Request start_forwarded(const BufferPair& buffers, const std::optional<Error>& failure) {
    if (failure) throw Error(*failure);
    set_forwarded(buffers);
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(exchange::forward_start(arguments_, &request), "a forwarded start");
    return forwarded_request(request, arguments_.comm, copies_);
  }

  void set_forwarded(const BufferPair& buffers) {
    if (state_) arguments_.comm = who_.comm_for_forwarding(*state_);
    arguments_.send_buffer = buffers.send;
    arguments_.receive_buffer = is_empty(buffers) ? this : buffers.receive;
  }

  /// Whether both buffers are null and all blocks empty. MPICH 4.0 rejects two equal buffers, null
  /// too.
  bool is_empty(const BufferPair& buffers) const {
    return state_ && !has_no_context() && buffers.send == nullptr && buffers.receive == nullptr &&
           binding_.sending().total_bytes() == 0 && binding_.receive.total_bytes() == 0;
  }

  Who who_;
  bool is_in_place_;
  Arguments arguments_;
  /// Shared with executions that the MPI library carries out.
  std::shared_ptr<buffers::ArgumentCopies> copies_ = std::make_shared<buffers::ArgumentCopies>();
  std::shared_ptr<communicator::State> state_;  ///< null on an inter-communicator
  typename Who::Binding binding_;
  std::size_t longest_ = 0;                  ///< S
  std::optional<engines::Pattern> pattern_;  ///< of the edges, with the bytes of this plan
  Planned planned_;
  bool is_named_ = false;      ///< what it runs
  StartedExecutions started_;  ///< last, since they use what is above until they are over
};

/// Throws Error(argument) unless the caller has a place for a plan, which becomes RONDO_PLAN_NULL.
inline void clear_plan(Rondo_Plan* plan) {
  if (plan == nullptr) throw Error(ErrorClass::argument, "plan is a null pointer");
  *plan = RONDO_PLAN_NULL;
}

/// Collective. `plan` is where the caller wants the plan.
template <class Arguments>
int make_plan(const Arguments& arguments, MPI_Info info, Rondo_Plan* plan) {
  return guarded(arguments.comm, [&] {
    const auto failure = failure_of([&] { clear_plan(plan); });
    *plan = Plan<Arguments>::make(arguments, info, failure).release();
  });
}

}  // namespace rondo::exchange
