// Which of a few candidates is the fastest, from a few executions of each in turn. Ranks that count
// the same turns and put their durations together find the same winner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace rondo::select {

class Trials {
 public:
  /// Executions of each candidate whose time counts; one before them, in which it sets itself up,
  /// does not.
  static constexpr std::size_t kTimed = 5;

  /// A candidate wins against the first one, which needs no measuring, by more than this share.
  static constexpr double kTie = 0.03;

  /// The seed is the same on all ranks.
  Trials(std::size_t candidates, std::uint64_t seed);

  /// Whether all have had their turns.
  bool are_over() const { return turn_ == (1 + kTimed) * candidates(); }

  /// Begin the next turn: of which candidate. They take turns in rounds: the first one in order, the
  /// others each in an order of its own, so that what disturbs at intervals disturbs all.
  std::size_t next();

  /// What the execution of the last turn took; not to be called where it failed.
  void record(double seconds);

  /// What was recorded, to be replaced by the most over all ranks: an exchange is over when the last
  /// rank has its blocks. Infinite where nothing was, and so where it failed on any rank.
  std::span<double> durations() { return durations_; }

  /// The median of a candidate's executions that did not fail; infinite if all did.
  double seconds(std::size_t candidate) const;

  std::size_t winner() const;

 private:
  std::size_t candidates() const { return order_.size(); }

  std::mt19937_64 random_;  ///< the same numbers with every standard library
  std::size_t turn_ = 0;
  std::vector<std::size_t> order_;  ///< of the round
  std::vector<double> durations_;   ///< kTimed for each candidate
};

}  // namespace rondo::select
