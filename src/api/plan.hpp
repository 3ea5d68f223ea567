// What all plans have in common.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "api/entry.hpp"
#include "api/request.hpp"
#include "buffers/arguments.hpp"
#include "communicator/announcement.hpp"
#include "communicator/state.hpp"
#include "communicator/trial.hpp"
#include "rondo/rondo.h"

struct Rondo_Plan_s {
  virtual ~Rondo_Plan_s() = default;
  virtual void execute(const void* send_buffer, void* receive_buffer) = 0;
  virtual MPI_Comm error_comm() const = 0;
  virtual Rondo_Request start(const void* send_buffer, void* receive_buffer) = 0;
  virtual std::string algorithm() const = 0;
};

namespace rondo::api {

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

  /// Starts what body_in(channel, candidate) returns. What it learns holds for its channel, whose shared
  /// memory may have shorter slots than another's.
  template <class BodyIn>
  Rondo_Request start(const std::shared_ptr<communicator::State>& state, BodyIn&& body_in) {
    return start_with_request(state, [&] {
      communicator::Channel& channel = state->next_channel();
      if (by_channel_.size() < state->channels()) by_channel_.resize(state->channels());
      InChannel& own = by_channel_[state->number_of(channel)];
      return own.last = state->start_in(channel, body_in(channel, own.candidate));
    });
  }

 private:
  /// References stay valid. Only the execution in progress in the channel uses the candidate.
  struct InChannel {
    communicator::Candidate candidate;
    std::shared_ptr<exchange::Started> last;
  };

  std::deque<InChannel> by_channel_;
};

/// What plans of all kinds have in common. They measure until they know the winner, and execute it then.
template <class Arguments, buffers::Form form>
class PlanOf : public Rondo_Plan_s {
 public:
  std::string algorithm() const override {
    if (trial_) return trial_->text();
    return is_forwarded(chosen_.choice) ? "mpi" : chosen_.choice.text();
  }

 protected:
  struct Given {
    const void* send;
    void* receive;
  };

  explicit PlanOf(const Arguments& arguments) : arguments_(arguments) {}

  communicator::RequestOrAuto request_of(const communicator::Hints& hints) const {
    const auto& hint = hints.algorithms[static_cast<std::size_t>(form)];
    return hint ? communicator::parse_request(form, hint->c_str()) : state_->request(form);
  }

  /// Whether the exchange is forwarded to the MPI library.
  bool is_forwarded(const choice::Choice& choice) const {
    return !state_ || state_->has_failed() || !state_->packs_raw() ||
           choice.algorithm->shape == registry::Shape::library;
  }

  /// Begins an execution.
  void begin() {
    state_->begin_exchange();
    if (!trial_ || !trial_->is_over()) return;
    chosen_ = trial_->settle();
    trial_.reset();
  }

  /// Runs exchange_by(candidate, failure).
  template <class ExchangeBy>
  void run(std::optional<Error>& failure, ExchangeBy&& exchange_by) {
    if (!trial_) return exchange_by(chosen_, failure);
    trial_->run(failure, [&](communicator::Candidate& candidate) {
      std::optional<Error> later;
      exchange_by(candidate, later);
    });
  }

  /// Makes `arguments_` those of an exchange that the MPI library carries out.
  virtual void set_forwarded(const Given& buffers) = 0;

  void forward(const Given& buffers, const std::optional<Error>& failure) {
    if (failure) throw Error(*failure);
    set_forwarded(buffers);
    exchange::check(api::forward(arguments_), "a forwarded exchange");
  }

  Rondo_Request start_forwarded(const Given& buffers, const std::optional<Error>& failure) {
    if (failure) throw Error(*failure);
    set_forwarded(buffers);
    MPI_Request request = MPI_REQUEST_NULL;
    exchange::check(api::forward_start(arguments_, &request), "a forwarded start");
    return forwarded_request(request, arguments_.comm, copies_);
  }

  Arguments arguments_;
  /// Shared with executions that the MPI library carries out.
  std::shared_ptr<buffers::ArgumentCopies> copies_ = std::make_shared<buffers::ArgumentCopies>();
  std::shared_ptr<communicator::State> state_;  ///< null on an inter-communicator
  communicator::Candidate chosen_;
  std::unique_ptr<communicator::Trial> trial_;  ///< set while the plan measures
};

/// Collective. Makes a plan of class `Made`, whose constructor gets what this rank has found wrong.
template <class Made, class Arguments>
int make_plan_of(const Arguments& arguments, MPI_Info info, Rondo_Plan* plan) {
  return guarded(arguments.comm, [&] {
    const auto failure = failure_of([&] {
      if (plan == nullptr) throw Error(ErrorClass::argument, "plan is a null pointer");
      *plan = RONDO_PLAN_NULL;
    });
    *plan = new Made(arguments, info, failure);
  });
}

}  // namespace rondo::api
