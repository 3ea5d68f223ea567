#include "interpose/ab/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "base/mix.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

namespace {

constexpr int kResamples = 1000;
constexpr int kTail = 25;  // 2.5 % of them on either side

/// Where there are more pairs, several neighbours are drawn at once, and the last few are none: as
/// good, and the end of a program is no time for billions of draws.
constexpr std::size_t kMostDrawn = 4096;

std::vector<Pair> in_groups(std::span<const Pair> pairs) {
  const std::size_t together = (pairs.size() + kMostDrawn - 1) / kMostDrawn;
  std::vector<Pair> groups;
  for (; pairs.size() >= together; pairs = pairs.subspan(together))
    groups.push_back(sum_of(pairs.first(together)));
  return groups;
}

Interval bootstrap(std::span<const Pair> pairs) {
  const std::vector<Pair> groups = in_groups(pairs);
  std::vector<double> speedups;
  std::uint64_t state = 0;
  for (int resample = 0; resample < kResamples; ++resample) {
    Pair sum;
    for (std::size_t draw = 0; draw < groups.size(); ++draw)
      sum += groups[between(mix(state += kGoldenGamma), 0, groups.size() - 1)];
    speedups.push_back(sum.speedup());
  }
  std::sort(speedups.begin(), speedups.end());
  return {.low = speedups[kTail], .high = speedups[kResamples - 1 - kTail]};
}

}  // namespace

Pair sum_of(std::span<const Pair> pairs) {
  Pair sum;
  for (const Pair& pair : pairs) sum += pair;
  return sum;
}

std::vector<Pair> pair_up(std::span<const float> seconds, std::uint64_t seed) {
  std::vector<Pair> pairs;
  const auto complete = static_cast<std::int64_t>(seconds.size()) / kPairCalls * kPairCalls;
  for (std::int64_t first = 0; first < complete; first += kPairCalls) {
    Pair pair;
    for (std::int64_t call = first; call < first + kPairCalls; ++call) {
      const bool is_library = arm_of(seed, call) == Arm::library;
      (is_library ? pair.library_seconds : pair.rondo_seconds) +=
          seconds[static_cast<std::size_t>(call)];
    }
    if (std::isfinite(pair.library_seconds + pair.rondo_seconds)) pairs.push_back(pair);
  }
  return pairs;
}

Comparison compare(std::span<const Pair> pairs) {
  Comparison comparison{.sum = sum_of(pairs), .interval = std::nullopt};
  if (pairs.size() >= kFewestPairs) comparison.interval = bootstrap(pairs);
  return comparison;
}

}  // namespace rondo::interpose::ab
