// Measures how much of an application's time its exchanges take.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "support/barrier.hpp"
#include "support/communicator.hpp"

namespace rondo::apps {

/// The times of one run of an application, the same on all ranks.
struct Run {
  double total_seconds = 0;     ///< of the slowest rank
  double exchange_seconds = 0;  ///< see ExchangeTimer
  double compute_seconds = 0;   ///< outside exchanges and waiting, mean over the ranks
  bool is_split = true;         ///< false if only the total is known
};

/// Times the steps of a run in which its ranks exchange.
///
/// If the ranks meet before and after each step, a step takes as long as its slowest rank: that is
/// the time of the exchange alone. The second meeting matters where ranks share cores, because a
/// rank that went on computing would take time from those that still exchange. The time spent
/// waiting at the meetings counts neither as exchange nor as computing. If the ranks do not meet,
/// as in a program that nobody measures, a step's time is the mean over the ranks and includes that
/// waiting.
class ExchangeTimer {
 public:
  /// Collective.
  ExchangeTimer(const support::Communicator& comm, bool meet);

  void begin_run();

  /// Runs `exchange` as one step. Collective if the exchange is.
  template <class Exchange>
  void step(Exchange&& exchange) {
    outside_seconds_ += seconds(departure_, Clock::now());
    if (barrier_) barrier_->wait();
    const Clock::time_point start = Clock::now();
    exchange();
    steps_.push_back(seconds(start, Clock::now()));
    if (barrier_) barrier_->wait();
    departure_ = Clock::now();
  }

  /// Collective. All ranks must have made the same number of steps.
  Run end_run();

  /// The times of the last run's steps: over all ranks once the run has ended, on this rank before.
  std::span<const double> step_seconds() const { return steps_; }

  /// Collective. Replaces this rank's times of some steps by the times over all ranks.
  void reduce(std::span<double> steps) const;

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  const support::Communicator& comm_;
  std::optional<support::Barrier> barrier_;
  Clock::time_point start_;
  Clock::time_point departure_;  ///< when the last step ended
  double outside_seconds_ = 0;
  std::vector<double> steps_;
};

}  // namespace rondo::apps
