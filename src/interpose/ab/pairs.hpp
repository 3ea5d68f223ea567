// The blocks of a series in pairs, one block of either arm. No MPI.
#pragma once

#include <vector>

#include "interpose/ab/times.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

/// When a block ran, on the timeline, and how long.
struct Stretch {
  double begin;
  double end;
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

/// The library's calls of a series minus Rondo's, as a function of time.
class Balance {
 public:
  explicit Balance(const SeriesTimes& series);

  /// Those between the ends of two blocks count in proportion.
  double during(const Stretch& stretch) const { return at(stretch.end) - at(stretch.begin); }

 private:
  double at(double time) const;

  std::vector<double> times_;
  std::vector<double> calls_;
};

}  // namespace rondo::interpose::ab
