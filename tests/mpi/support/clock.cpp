#include "support/clock.hpp"

#include <time.h>

#include <atomic>
#include <cmath>

#include "base/mix.hpp"

namespace {

using std::chrono::nanoseconds;

std::atomic<nanoseconds> ahead{};
std::atomic<std::uint64_t> wrong_seed{};
std::atomic<std::uint64_t> looks{};

nanoseconds wrong(nanoseconds time, std::uint64_t seed) {
  constexpr double kHour = 3.6e12;
  const double rate = std::pow(10, 2 * rondo::unit_interval(rondo::mix(seed)) - 1);
  const std::uint64_t bits = rondo::mix(seed + ++looks * rondo::kGoldenGamma);
  if (bits % 8 == 0)
    ahead = nanoseconds(std::llround((2 * rondo::unit_interval(rondo::mix(bits)) - 1) * kHour));
  return nanoseconds(std::llround(static_cast<double>(time.count()) * rate));
}

}  // namespace

namespace rondo::testing::clock {

void advance(std::chrono::nanoseconds duration) {
  ahead = ahead.load() + duration;
}

void go_wrong(std::uint64_t seed) {
  ahead = nanoseconds(0);
  wrong_seed = seed;
}

}  // namespace rondo::testing::clock

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  timespec real{};
  clock_gettime(CLOCK_MONOTONIC, &real);
  const nanoseconds time = seconds(real.tv_sec) + nanoseconds(real.tv_nsec);
  const std::uint64_t seed = wrong_seed;
  return time_point((seed == 0 ? time : wrong(time, seed)) + ahead.load());
}
