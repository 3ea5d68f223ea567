// Computes how much faster Rondo makes the program, and formats the report. No MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bootstrap.hpp"
#include "dropin/report/times.hpp"

namespace rondo::dropin::ab {

/// Each side of the interval is widened by this share of the ratio. Whole runs of a program differ
/// by about as much, for reasons that do not show within one run. This was measured
/// (docs/results/applications.md): two medians of 7 to 9 pairs of whole runs differed by 2.5 % (root
/// mean square), and by 6.4 % where ranks share cores, because the system places the ranks
/// differently in each run. The bounds are twice the deviation of one median, which is 1.4 times these values.
inline constexpr double kBetweenRuns = 0.03;
inline constexpr double kBetweenRunsOnSharedCores = 0.10;

struct Verdict {
  double library_alone_seconds;
  double rondo_alone_seconds;
  Interval interval;  ///< of the speedup, 95 %
  std::size_t pairs;
  double widening;  ///< the part of the interval that does not shrink in longer runs

  double speedup() const { return library_alone_seconds / rondo_alone_seconds; }
  bool is_significant() const { return interval.low > 1 || interval.high < 1; }

  /// How many times as long a run must be for this speedup to be significant, if the noise stays what it is. Nothing
  /// if whole runs differ by as much.
  std::optional<double> times_as_long() const;
};

/// Returns nothing if there are too few pairs. The interval is from a bootstrap over the pairs of
/// each series with a fixed seed, so the same times give the same interval.
std::optional<Verdict> judge(const RunTimes& run);

/// The number of calls that took turns but do not enter the verdict.
std::int64_t calls_left_out(const RunTimes& run);

/// The report that the user reads.
std::string report_text(const RunTimes& run);

}  // namespace rondo::dropin::ab
