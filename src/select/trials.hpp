// Which of a few choices is the fastest, from a few executions of each in turn.
//
// Ranks that count the same turns and combine their durations find the same winner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace rondo::select {

class Trials {
 public:
  /// Executions of each choice that are timed. One execution before them, for set-up, is not.
  static constexpr std::size_t kTimed = 5;

  /// A choice wins against the first one only if it is faster by more than this share.
  static constexpr double kTie = 0.03;

  /// The seed is the same on all ranks.
  Trials(std::size_t choices, std::uint64_t seed);

  /// Whether all choices have had their turns.
  bool are_over() const { return turn_ == (1 + kTimed) * choices(); }

  /// Begins the next turn and returns its choice. Candidates take turns in rounds. Every round but the
  /// first has a random order, so that periodic disturbances affect all of them.
  std::size_t next();

  /// Records the time of the last turn. Not called if its execution failed.
  void record(double seconds);

  /// The recorded times, infinite if there is none. The caller replaces each by the maximum over all ranks,
  /// because an exchange ends when the last rank has its blocks. So a failure on any rank is infinite.
  std::span<double> durations() { return durations_; }

  /// The median of a choice's executions that did not fail. Infinite if all failed.
  double seconds(std::size_t choice) const;

  std::size_t winner() const;

 private:
  std::size_t choices() const { return order_.size(); }

  std::mt19937_64 random_;  ///< gives the same numbers with every standard library
  std::size_t turn_ = 0;
  std::vector<std::size_t> order_;  ///< of the round
  std::vector<double> durations_;   ///< kTimed of each choice
};

}  // namespace rondo::select
