// How much faster Rondo makes the program, and how that is said. No MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bootstrap.hpp"
#include "dropin/report/times.hpp"

namespace rondo::dropin::ab {

/// How much of the ratio intervals are wider on either side: whole runs of a program differ by
/// about as much for reasons that turns within one run cannot see. Measured (see docs/results.md):
/// two medians of 7 to 9 pairs of whole runs differed by 2.5 % (root mean square), and by 6.4 %
/// where ranks share cores, since the system places them anew at each start. Twice the deviation of
/// one median is 1.4 times as much.
inline constexpr double kUnseen = 0.03;
inline constexpr double kUnseenOnSharedCores = 0.10;

struct Verdict {
  double library_alone_seconds;
  double rondo_alone_seconds;
  Interval interval;  ///< of the speedup, 95 %
  std::size_t pairs;

  double speedup() const { return library_alone_seconds / rondo_alone_seconds; }
  bool tells_a_difference() const { return interval.low > 1 || interval.high < 1; }
};

/// Nothing if there are too few pairs. The interval is a bootstrap's over the pairs of each series,
/// with a seed of its own: the same times give the same.
std::optional<Verdict> judge(const RunTimes& run);

/// Calls that took turns and that the verdict knows nothing of.
std::int64_t calls_left_out(const RunTimes& run);

/// What the user reads.
std::string report_text(const RunTimes& run);

}  // namespace rondo::dropin::ab
