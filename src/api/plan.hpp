// What all plans have in common.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "api/entry.hpp"
#include "api/request.hpp"
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
