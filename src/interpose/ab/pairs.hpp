// The blocks of a series in pairs, one block of either arm. No MPI.
#pragma once

#include <vector>

#include "interpose/ab/times.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

/// When a block ran, in calls on the timeline, and how long, in seconds.
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

/// A pair in which the program was busy elsewhere says nothing: one with a time outside the calls of
/// more than this many times what a block of the series usually takes.
inline constexpr double kLongestPause = 10;

/// The complete pairs, without those with a long pause.
std::vector<Pair> pairs_of(const SeriesTimes& series);

/// The library's calls of a series minus Rondo's, as a function of the calls on the timeline: those come in a
/// program's rhythm, whichever arm is the faster one.
class Balance {
 public:
  explicit Balance(const SeriesTimes& series);

  /// Those between the ends of two blocks count in proportion.
  double during(const Stretch& stretch) const { return at(stretch.end) - at(stretch.begin); }

 private:
  double at(std::int64_t position) const;

  std::vector<std::int64_t> positions_;
  std::vector<double> calls_;
};

}  // namespace rondo::interpose::ab
