// The turns of a series in pairs, one of each arm. No MPI.
#pragma once

#include <vector>

#include "dropin/report/times.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

/// When a turn ran, in calls on the timeline, and how long, in seconds.
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

/// A pair in which the program was busy elsewhere says nothing: its time outside the calls is more
/// than this many times what a turn of the series usually takes.
inline constexpr double kLongestPause = 10;

/// The complete pairs, without those with a long pause.
std::vector<Pair> pairs_of(const SeriesTimes& series);

/// The library's calls of a series minus Rondo's, as a function of the calls on the timeline: these
/// come in the program's rhythm, whichever arm is faster.
class Balance {
 public:
  explicit Balance(const SeriesTimes& series);

  /// A part of a turn counts in proportion.
  double during(const Stretch& stretch) const { return at(stretch.end) - at(stretch.begin); }

 private:
  double at(std::int64_t position) const;

  std::vector<std::int64_t> positions_;
  std::vector<double> calls_;
};

}  // namespace rondo::dropin::ab
