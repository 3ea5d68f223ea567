// How much of an application's time its exchanges take.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "support/barrier.hpp"
#include "support/communicator.hpp"

namespace rondo::apps {

/// One run of an application, alike on all ranks.
struct Run {
  double total_seconds = 0;     ///< of the slowest rank
  double exchange_seconds = 0;  ///< see ExchangeTimer
  double compute_seconds = 0;   ///< outside steps and meetings, in the mean of the ranks
  bool is_split = true;         ///< false: only the total is known
};

/// Times the steps of a run in which its ranks exchange.
///
/// If the ranks meet before and after each step, a step takes as long as its slowest rank: that is the
/// exchange alone. Where ranks share cores it matters that they meet afterwards too: one that went on
/// computing would take the time of those which still exchange. What they wait for each other is
/// neither exchange nor computing. If they do not meet, as in a program that nobody measures, a step
/// is the mean over the ranks of what they spent in it, which holds that waiting.
class ExchangeTimer {
 public:
  /// Collective.
  ExchangeTimer(const support::Communicator& comm, bool meet);

  void begin_run();

  /// Run `exchange` as one step. Collective, if the exchange is.
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

  /// Collective. All ranks have made as many steps.
  Run end_run();

  /// What the steps of the last run took: over all ranks once it has ended, on this one before.
  std::span<const double> step_seconds() const { return steps_; }

  /// Collective. Make of what some steps took on this rank what they took over all ranks.
  void reduce(std::span<double> steps) const;

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  const support::Communicator& comm_;
  std::optional<support::Barrier> barrier_;
  Clock::time_point start_;
  Clock::time_point departure_;  ///< from the last step
  double outside_seconds_ = 0;
  std::vector<double> steps_;
};

}  // namespace rondo::apps
