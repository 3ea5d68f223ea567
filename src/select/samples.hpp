// The times of one trial: of a check, which is the incumbent alone, or of pairs of a duel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "select/duel.hpp"
#include "select/ratio.hpp"

namespace rondo::select {

class Samples {
 public:
  /// The exchange failed on this rank.
  static constexpr std::int64_t kFailed = std::numeric_limits<std::int64_t>::min();

  enum class Kind { none, check, duel };

  /// What the ranks add up at most.
  static constexpr std::size_t kMostSums = 2 * Duel::kMostPairsAtOnce + 3;

  /// A time is that of one call, or of a run.
  static constexpr std::size_t kRun = 4;

  /// The first calls of a run are not timed. They find the caches as another choice has left them, and an algorithm may
  /// use two buffers in turn.
  static constexpr std::size_t kUntimed = 2;

  /// In a duel, bit i of `orders` says whether the challenger is first in pair i.
  void begin(Kind kind, std::size_t times, std::uint64_t orders, bool has_runs);
  void end() { begin(Kind::none, 0, 0, false); }

  Kind kind() const { return kind_; }
  bool are_complete() const { return kind_ != Kind::none && recorded_ == planned_; }

  bool has_runs() const { return has_runs_; }
  std::size_t calls_of_a_time() const { return has_runs_ ? kRun : 1; }

  /// Whether the next call is the challenger's.
  bool is_challengers_turn() const;

  /// Whether the next call is timed. If not, skip() is called for it.
  bool is_timed() const { return !has_runs_ || call_ >= kUntimed; }
  void skip() { ++call_; }

  /// What the next call took, in nanoseconds. A clock may jump: times are kept within bounds.
  void record(std::int64_t nanoseconds);

  void set_agreement(std::int64_t nanoseconds);

  /// What the ranks add up: all times, then the agreement's, then how many calls of either choice failed.
  std::span<std::int64_t> all() { return std::span(times_).first(planned_ + kExtra); }

  /// Makes sums those of one call, and keeps them within bounds, whatever they are.
  void clean();

  // Of sums. In a duel, times are in pairs, the incumbent's first.
  std::span<const std::int64_t> times() const { return std::span(times_).first(planned_); }
  std::int64_t agreement() const { return times_[planned_]; }
  bool have_failed() const { return times_[planned_ + 1] != 0 || has_challenger_failed(); }
  bool has_challenger_failed() const { return times_[planned_ + 2] != 0; }

  /// The lower median of the incumbent's times. A disturbance prolongs a call, so of two, the lower one is better.
  std::int64_t incumbents() const { return typical(0); }
  std::int64_t challengers() const { return typical(1); }

  /// The ratio of the challenger's shortest time to the incumbent's.
  std::int64_t ratio_of_shortest() const { return ratio_of(shortest(1), shortest(0)); }

 private:
  static constexpr std::size_t kExtra = 3;

  std::int64_t typical(std::size_t first) const;
  std::int64_t shortest(std::size_t first) const;

  Kind kind_ = Kind::none;
  std::size_t planned_ = 0;
  std::size_t recorded_ = 0;
  std::uint64_t orders_ = 0;
  bool has_runs_ = false;
  std::size_t call_ = 0;  ///< of the run
  std::array<std::int64_t, kMostSums> times_{};
};

}  // namespace rondo::select
