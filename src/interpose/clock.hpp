// This process's clock.
#pragma once

#include <chrono>

namespace rondo::interpose {

inline double now_in_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace rondo::interpose
