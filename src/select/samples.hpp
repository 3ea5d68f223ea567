// The times of one trial: of a review, which is the incumbent alone, or of pairs of a duel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "select/duel.hpp"

namespace rondo::select {

/// Calls of one choice in a row. Those in the middle are timed together.
struct Block {
  std::size_t before = 0;
  std::size_t timed = 1;
  std::size_t after = 0;

  constexpr std::size_t calls() const { return before + timed + after; }
};

/// Of a duel. Equally many calls of both are timed.
struct Blocks {
  Block incumbents;
  Block challengers;
};

constexpr Blocks kSingleCalls;

/// As if either choice were the incumbent. The first calls find the caches as the other choice has left them, and an
/// algorithm may use two buffers alternately. In the last one, ranks that are ahead no longer delay the others by their next
/// call of the same choice, so it may take a quarter less.
constexpr Blocks kRuns{.incumbents = {.before = 2, .timed = 2, .after = 1},
                       .challengers = {.before = 2, .timed = 2, .after = 1}};

/// Of a challenger that has never run. It makes as few calls as tell anything. The incumbent's calls cost nothing, so
/// they are timed among others of its own.
constexpr Blocks kFirstCalls{.incumbents = {.before = 1, .after = 1}, .challengers = {}};

class Samples {
 public:
  /// The exchange failed on this rank.
  static constexpr std::int64_t kFailed = std::numeric_limits<std::int64_t>::min();

  enum class Kind { none, review, duel };

  /// What the ranks add up at most.
  static constexpr std::size_t kMostSums = 2 * Duel::kMostPairsAtOnce + 3;

  /// A time is that of a block. In a duel, the choices take turns, a block each. Bit i of `orders` says whether the
  /// challenger is first in the i-th pair of blocks.
  void begin(Kind kind, std::size_t times, const Blocks& blocks = kSingleCalls,
             std::uint64_t orders = 0);
  void end() { begin(Kind::none, 0); }

  Kind kind() const { return kind_; }
  bool are_of_runs() const { return block().timed > 1; }
  bool are_complete() const { return kind_ != Kind::none && blocks_over_ == planned_; }

  /// Whether the next call is the challenger's.
  bool is_challengers_turn() const;

  /// Whether the next call is timed. If not, skip() is called for it.
  bool is_timed() const {
    return call_ >= block().before && call_ < block().before + block().timed;
  }
  void skip() { advance(); }

  /// What the next call took, in nanoseconds. A clock may jump: times are kept within bounds.
  void record(std::int64_t nanoseconds);

  void set_agreement(std::int64_t nanoseconds);

  /// What the ranks add up: all times, then the agreement's, then how many calls of either choice failed.
  std::span<std::int64_t> all() { return std::span(times_).first(planned_ + kExtra); }

  /// The challenger's calls.
  std::size_t calls() const { return planned_ / 2 * blocks_.challengers.calls(); }

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

  /// The one that goes on.
  const Block& block() const {
    return is_challengers_turn() ? blocks_.challengers : blocks_.incumbents;
  }
  void advance();
  std::int64_t typical(std::size_t first) const;
  std::int64_t shortest(std::size_t first) const;

  Kind kind_ = Kind::none;
  std::size_t planned_ = 0;
  Blocks blocks_;
  std::uint64_t orders_ = 0;
  std::size_t blocks_over_ = 0;
  std::size_t call_ = 0;  ///< of the block
  std::array<std::int64_t, kMostSums> times_{};
};

}  // namespace rondo::select
