// What the costs of the calls in either arm say about which is faster. No MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::interpose::ab {

/// What the two blocks of a pair cost, or sums over pairs: the same number of calls in either arm.
struct Pair {
  double library_seconds = 0;
  double rondo_seconds = 0;

  double speedup() const { return library_seconds / rondo_seconds; }

  Pair& operator+=(const Pair& more) {
    library_seconds += more.library_seconds;
    rondo_seconds += more.rondo_seconds;
    return *this;
  }
};

Pair sum_of(std::span<const Pair> pairs);

/// `seconds` are the costs of the calls 0, 1, 2, ... that took turns by that seed. A pair that is
/// cut off by the end, or has a call without a cost (infinite: it failed on all ranks), is dropped.
std::vector<Pair> pair_up(std::span<const float> seconds, std::uint64_t seed);

struct Interval {
  double low;
  double high;
};

struct Comparison {
  Pair sum;
  std::optional<Interval> interval;  ///< of the speedup, 95 %; none for too few pairs
};

/// With fewer, an interval would say more about their number than about the program.
inline constexpr std::size_t kFewestPairs = 5;

/// The interval is a bootstrap's over pairs, with a seed of its own: the same pairs give the same.
Comparison compare(std::span<const Pair> pairs);

}  // namespace rondo::interpose::ab
