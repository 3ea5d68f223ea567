// The turns of a series in pairs, one of each arm. No MPI.
#pragma once

#include <vector>

#include "dropin/report/times.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

/// When a turn ran, in calls on the timeline, and how long it took, in seconds.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
  double elapsed;
  double inside;
};

struct Pair {
  Stretch library;
  Stretch rondo;
  bool library_is_first;
};

/// A pair is ignored if its time outside the calls is more than this many times the median elapsed
/// time of a turn of the series. The program was then busy with something else.
inline constexpr double kLongestPause = 10;

/// Returns the complete pairs, without those that contain a long pause.
std::vector<Pair> pairs_of(const SeriesTimes& series);

/// The number of the library's calls in a series minus the number of Rondo's, as a function of the
/// position on the timeline. Positions are counted in calls, so they do not depend on which arm is
/// faster.
class Balance {
 public:
  explicit Balance(const SeriesTimes& series);

  /// A part of a turn counts in proportion to its length.
  double during(const Stretch& stretch) const { return at(stretch.end) - at(stretch.begin); }

 private:
  double at(std::int64_t position) const;

  std::vector<std::int64_t> positions_;
  std::vector<double> calls_;
};

}  // namespace rondo::dropin::ab
