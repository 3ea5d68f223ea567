// How much of the cores' time went to others while something was measured. No MPI.
#pragma once

#include <optional>
#include <string_view>

namespace rondo::support {

/// Seconds since boot, summed over the cores of a machine.
struct CoreTime {
  double busy = 0;    ///< in programs and in the kernel for them
  double stolen = 0;  ///< in which the hypervisor ran something else, on any core
};

/// From /proc/stat, whose unit is a tick. Nothing if the system does not count there.
std::optional<CoreTime> core_time_in(std::string_view stat, double ticks_per_second);

/// An interval, and what happened in it on one machine.
struct Watched {
  double seconds = 0;
  CoreTime all;    ///< of all programs
  double own = 0;  ///< core seconds of the ranks
  int ranks = 0;
  int cores = 0;
};

/// Returns the share of the ranks' cores that they did not get. Other programs may use the cores that the
/// ranks leave free.
double share_taken(const Watched& watched);

}  // namespace rondo::support
