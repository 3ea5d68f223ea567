// The clock by which exchanges and runs are timed.
#pragma once

#include <chrono>

namespace rondo::dropin {

/// Seconds on this process's clock.
inline double now_in_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace rondo::dropin
