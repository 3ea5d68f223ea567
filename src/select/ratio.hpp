// Ratios of times, in integers, so that ranks with different processors or compilers agree.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace rondo::select
