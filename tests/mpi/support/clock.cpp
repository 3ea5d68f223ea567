#include "support/clock.hpp"

#include <time.h>

#include <atomic>

namespace {

std::atomic<std::chrono::nanoseconds> ahead{};

}  // namespace

namespace rondo::testing::clock {

void advance(std::chrono::nanoseconds duration) {
  ahead = ahead.load() + duration;
}

}  // namespace rondo::testing::clock

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  timespec real{};
  clock_gettime(CLOCK_MONOTONIC, &real);
  return time_point(seconds(real.tv_sec) + nanoseconds(real.tv_nsec) + ahead.load());
}
