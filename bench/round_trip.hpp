// How far apart two cores are. Whether they share a cache decides what shared memory costs, and on a virtual machine
// that may change within seconds.
#pragma once

#include <optional>

namespace rondo::bench {

/// Returns the time of a round trip of a flag between the first two cores that this process may use, in
/// nanoseconds: a cache line goes to the other core and back. A rank that its launcher has bound to fewer
/// cores may use all cores of its control group for that. Returns nothing if there are not two. Takes a
/// few milliseconds, in which nothing else should run.
std::optional<double> round_trip_nanoseconds();

/// What it was before a measurement and after it.
struct RoundTrips {
  std::optional<double> before;
  std::optional<double> after;

  /// Whether the cores moved so that the measurement holds for neither place.
  bool differ() const;
};

}  // namespace rondo::bench
