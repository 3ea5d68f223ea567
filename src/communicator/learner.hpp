// Learns, while a program runs, which of a few algorithms is the fastest for exchanges of one kind and of about one
// length. The rule is select/learning.hpp; here are its clock, and the agreement on what the clocks of all ranks say.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "choice/choice.hpp"
#include "select/learning.hpp"

namespace rondo::communicator {

/// All ranks of the communicator make one together, and use it in the same calls.
class Learner {
 public:
  /// The first of the choices is the one that has been made without any measurement. The seed is the same on all
  /// ranks. `calls_before` is that of select::Learning. `library_time` is what a call of the MPI library took, in
  /// nanoseconds summed over all ranks, 0 if that is not known. Sums are made on `comm`, which must live longer.
  Learner(MPI_Comm comm, std::vector<choice::Choice> choices, std::uint64_t seed,
          std::uint64_t calls_before, std::int64_t library_time = 0);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  struct Turn {
    const choice::Choice& choice;
    std::uint64_t calls;  ///< that run it, this one and those after it
    bool is_timed;        ///< by timed()
    bool has_learned;     ///< best() is another one than before
  };

  /// Begins the next turn. From time to time it waits for the other ranks.
  Turn next();

  /// Runs the exchange of a timed turn. `exchange` returns MPI's code, or throws.
  template <class Exchange>
  [[gnu::noinline]] int timed(Exchange&& exchange) {
    const auto begin = Clock::now();
    int code = MPI_SUCCESS;
    try {
      code = exchange();
    } catch (...) {
      record_failure();
      throw;
    }
    record(code == MPI_SUCCESS ? nanoseconds_since(begin) : select::Learning::kFailed);
    return code;
  }

  /// Runs what only the trial needs besides its exchanges. What that takes counts as a cost of the trial.
  template <class Part>
  void at_cost(Part&& part) {
    const auto begin = Clock::now();
    part();
    trial_cost_ += nanoseconds_since(begin);
  }

  /// Ends a timed turn without an exchange, on a rank that cannot take part. Throws nothing.
  void record_failure() noexcept;

  /// Ends what is under way between the ranks, all of which do so. What they may never end is given up. It is
  /// not used any more.
  void end(bool is_given_up);

  const choice::Choice& best() const { return choices_[rule_.best()]; }
  const choice::Choice& challenger() const { return choices_[rule_.challenger()]; }
  const std::vector<choice::Choice>& choices() const { return choices_; }
  const select::Learning& rule() const { return rule_; }

  /// Why best() runs: what it has replaced, or that it was the first one because others had found it faster.
  std::string reason() const;

 private:
  using Clock = std::chrono::steady_clock;

  static std::int64_t nanoseconds_since(Clock::time_point begin) {
    return std::chrono::nanoseconds(Clock::now() - begin).count();
  }

  void record(std::int64_t nanoseconds);
  void begin_sum();
  void advance_sum();
  void end_sum();
  void give_up_sum();

  MPI_Comm comm_;
  std::vector<choice::Choice> choices_;
  select::Learning rule_;
  std::vector<std::int64_t> sums_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int calls_to_wait_ = 0;  ///< before the sums are needed
  // In nanoseconds.
  std::int64_t sum_cost_ = 0;    ///< of the sum in progress, so far
  std::int64_t trial_cost_ = 0;  ///< see at_cost()
};

/// The learner that times the next call, if any does.
class TimedTurn {
 public:
  /// Null if it is not timed.
  void begin(Learner* learner) { learner_ = learner; }
  bool has_begun() const { return learner_ != nullptr; }

  /// Returns it once.
  Learner* take() { return learner_ == nullptr ? nullptr : std::exchange(learner_, nullptr); }

 private:
  Learner* learner_ = nullptr;
};

/// Runs `exchange`, and times it if it has a learner.
template <class Exchange>
int run_timed(Learner* learner, Exchange&& exchange) {
  return learner == nullptr ? exchange() : learner->timed(exchange);
}

}  // namespace rondo::communicator
