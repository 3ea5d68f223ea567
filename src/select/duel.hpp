// Whether a challenger is faster than the incumbent, from calls of both in pairs.
//
// What disturbs both calls of a pair leaves their ratio as it is. So a duel looks at ratios only, and mostly at how
// many of them are on one side: that makes no assumption about the noise except that pairs are alike.
//
// Looks are after 2, 4, 8 and 16 pairs, and then after every 16 up to 128:
//  - The challenger loses if all of 2 pairs say that it is slower by half, or all of 4 by a fifth.
//  - It wins if all of 2 pairs say that it takes less than a third of the time, or all of 4 less than half.
//  - Runs of calls say more than single calls: it loses if 2 pairs of runs say that it is slower by a fifth, or 4 by a
//    tenth, and wins if 2 say that it takes less than two thirds of the time, or 4 less than five sixths.
//  - From the third look on, the pairs since the look before decide alone, by the rule for 4 pairs, if all of them agree.
//    In earlier pairs the challenger may still have made its memory.
//  - Otherwise all pairs count: for the challenger if it is faster by more than 3 %, else against it. It wins if
//    (for - against)^2 >= 7 pairs, and loses if (against - for)^2 > 3 pairs. If a pair is as likely to count for it as
//    against it, it wins with a probability of at most 0.8 % at each look and 2.5 % at all looks together, and loses
//    with at most 6.3 % and 18 %. If it is equal and the noise of a call is 5 %, pairs count for it one time in three,
//    and it wins with 0.02 %.
// The rules differ because a mistake against the challenger costs only what it might have saved until the next duel.
// After the last look, the incumbent stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::select {

/// The longest time that is told from longer ones, in nanoseconds summed over all ranks: a second on each of a million.
inline constexpr std::int64_t kLongest = std::int64_t{1} << 50;

/// The ratio of a time to itself.
inline constexpr std::int64_t kSame = 1000;

/// Larger ones are not told apart.
inline constexpr std::int32_t kMostRatio = 1 << 22;

/// In thousandths, at least 1. Both times are from 1 to kLongest.
constexpr std::int64_t ratio_of(std::int64_t time, std::int64_t other) {
  return std::clamp<std::int64_t>(time * kSame / other, 1, kMostRatio);
}

/// The time that has this ratio to `other`.
constexpr std::int64_t scaled(std::int64_t other, std::int64_t ratio) {
  return std::clamp<std::int64_t>(other / kSame * ratio + other % kSame * ratio / kSame, 1,
                                  kLongest);
}

enum class Verdict { open, wins, loses };

class Duel {
 public:
  static constexpr std::size_t kFirstPairs = 2;
  static constexpr std::size_t kMostPairsAtOnce = 16;

  std::size_t pairs() const { return pairs_; }

  /// The least ratio so far, of the challenger's time to the incumbent's.
  std::int64_t least() const { return least_; }

  /// Pairs that counted for the challenger.
  std::size_t faster() const { return faster_; }

  /// Pairs from here to the next look.
  std::size_t pairs_to_look() const;

  /// Judges by these pairs and all before. `times` are, for each pair, the incumbent's and the challenger's, of single
  /// calls or of runs.
  Verdict look(std::span<const std::int64_t> times, bool are_runs);

 private:
  Verdict count() const;

  // Small, because every challenger has one.
  std::uint16_t pairs_ = 0;
  std::uint16_t faster_ = 0;
  std::int32_t least_ = kMostRatio;  ///< of the pairs' ratios
  std::int32_t most_ = 0;
};

}  // namespace rondo::select
