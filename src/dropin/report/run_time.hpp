// The clock, how long the program has run, and how much of that its blocking exchanges took.
#pragma once

#include <chrono>
#include <string>

namespace rondo::dropin {

/// Seconds on this process's clock.
inline double now_in_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Since the process began, or since this library was loaded if the system does not say.
double run_seconds();

/// The last line of the statistics: the share of the blocking exchanges, and what to do next. The seconds are
/// sums over the ranks. Empty if no exchange took any time.
std::string share_text(double exchange_seconds, double run_seconds, int ranks);

}  // namespace rondo::dropin
