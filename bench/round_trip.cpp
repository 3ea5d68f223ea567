#include "round_trip.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace rondo::bench {

namespace {

/// A flag that two threads pass to and fro, on a cache line of its own.
struct alignas(128) Flag {
  std::atomic<int> turn{0};

  void wait_for(int value) const {
    while (turn.load(std::memory_order_acquire) != value) {
    }
  }
  void pass(int value) { turn.store(value, std::memory_order_release); }
};

/// Binds the calling thread.
void run_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// The cores that the control group of this process allows, whatever it is bound to.
std::vector<int> allowed_cores() {
  std::vector<int> cores;
  std::thread([&] {
    cpu_set_t set;
    for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  }).join();
  return cores;
}

}  // namespace

std::optional<double> round_trip_nanoseconds() {
  const std::vector<int> cores = allowed_cores();
  if (cores.size() < 2) return std::nullopt;
  constexpr int kBatches = 16;
  constexpr int kTurns = 300;
  Flag flag;
  std::thread answering([&] {
    run_on(cores[1]);
    for (int turn = 0; turn < kBatches * kTurns; ++turn) {
      flag.wait_for(2 * turn + 1);
      flag.pass(2 * turn + 2);
    }
  });
  double least = std::numeric_limits<double>::infinity();
  std::thread asking([&] {
    using Clock = std::chrono::steady_clock;
    run_on(cores[0]);
    for (int batch = 0; batch < kBatches; ++batch) {
      const Clock::time_point begin = Clock::now();
      for (int turn = batch * kTurns; turn < (batch + 1) * kTurns; ++turn) {
        flag.pass(2 * turn + 1);
        flag.wait_for(2 * turn + 2);
      }
      const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
      least = std::min(least, taken.count() / kTurns);
    }
  });
  asking.join();
  answering.join();
  return least;
}

bool RoundTrips::differ() const {
  constexpr double kNoise = 1.5;
  return before && after && std::max(*before, *after) > kNoise * std::min(*before, *after);
}

}  // namespace rondo::bench
