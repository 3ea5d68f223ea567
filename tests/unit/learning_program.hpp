// A program whose exchanges take made-up times, and what it loses with the rule of select/learning.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "select/learning.hpp"

namespace rondo::select {

/// For each choice how long a call takes, in microseconds.
using Times = std::vector<double>;

struct Noise {
  double spread = 0;        ///< of the logarithm of a call's time
  double slices = 0;        ///< how often a call waits for a time slice of 4 ms, or a part of it
  double agreement_us = 5;  ///< what an agreement takes
};

inline void PrintTo(const Noise& noise, std::ostream* out) {
  *out << noise.spread << ' ' << noise.slices << ' ' << noise.agreement_us;
}

/// Times are in microseconds and without the noise.
struct Outcome {
  double total = 0;  ///< of all calls and agreements
  double best = 0;   ///< of all calls, if each were by the choice that is the fastest in it
  Times fixed;       ///< of all calls by one choice
  double exploring =
      0;  ///< agreements, and what calls by others took longer, in calls of the incumbent
  std::vector<std::uint64_t> runs;     ///< of each choice
  std::vector<std::uint64_t> changes;  ///< of the incumbent: before which call

  /// Against the fastest choice of every call.
  double regret() const { return total / best - 1; }

  /// Against the best fixed choice. Negative if changes have paid.
  double regret_of_fixed() const { return total / *std::ranges::min_element(fixed) - 1; }
};

/// How long calls take over a number of calls.
struct Period {
  Times times;
  std::uint64_t calls = std::uint64_t{1} << 62;
};

class Program {
 public:
  /// The periods follow each other again and again.
  Program(std::uint64_t seed, const Noise& noise, std::vector<Period> periods)
      : random_(seed), noise_(noise), periods_(std::move(periods)), left_(periods_[0].calls) {}

  Outcome run(Learning& learning, std::uint64_t calls) {
    Outcome outcome;
    outcome.fixed.resize(times().size());
    outcome.runs.resize(times().size());
    std::uint64_t call = 0;
    while (call < calls) {
      const std::size_t incumbent = learning.best();
      const Learning::Turn turn = learning.next();
      call += turn.calls;
      if (turn.is_timed) learning.record(nanoseconds(times()[turn.choice]));
      run_turn(outcome, turn, incumbent);
      if (!learning.is_trial_over()) continue;
      outcome.total += noise_.agreement_us;
      outcome.exploring += noise_.agreement_us / times()[incumbent];
      learning.record_agreement(static_cast<std::int64_t>(1000 * noise_.agreement_us));
      learning.learn();
      if (learning.best() != incumbent) outcome.changes.push_back(call);
    }
    return outcome;
  }

 private:
  const Times& times() const { return periods_[period_].times; }

  void run_turn(Outcome& outcome, const Learning::Turn& turn, std::size_t incumbent) {
    for (std::uint64_t left = turn.calls; left != 0;) {
      const std::uint64_t calls = std::min(left, left_);
      add(outcome, static_cast<double>(calls), turn.choice, incumbent);
      left -= calls;
      left_ -= calls;
      if (left_ != 0) continue;
      period_ = (period_ + 1) % periods_.size();
      left_ = periods_[period_].calls;
    }
    outcome.runs[turn.choice] += turn.calls;
  }

  void add(Outcome& outcome, double calls, std::size_t choice, std::size_t incumbent) const {
    for (std::size_t c = 0; c < times().size(); ++c) outcome.fixed[c] += calls * times()[c];
    outcome.total += calls * times()[choice];
    outcome.best += calls * *std::ranges::min_element(times());
    outcome.exploring += calls * std::max(0.0, times()[choice] / times()[incumbent] - 1);
  }

  std::int64_t nanoseconds(double microseconds) {
    double time = microseconds * std::exp(noise_.spread * normal_(random_));
    if (even_(random_) < noise_.slices) time += 4000 * even_(random_);
    return static_cast<std::int64_t>(1000 * time);
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> even_;
  Noise noise_;
  std::vector<Period> periods_;
  std::size_t period_ = 0;
  std::uint64_t left_;  ///< calls of the period
};

}  // namespace rondo::select
