// How many cores the ranks of a node may use, which can be fewer than the machine has.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <string>

namespace rondo::node {

/// A set of cores, as bits that neighbours can combine.
struct CoreSet {
  std::array<std::uint64_t, CPU_SETSIZE / 64> bits{};

  int count() const;
};

/// The cores that this process may run on (affinity); all of them if that cannot be read.
CoreSet usable_cores();

/// How many cores' worth of time the control groups of this process allow (cpu.max of it and all
/// above, rounded up); a large number where nothing limits. `root` and `membership` stand for
/// /sys/fs/cgroup and /proc/self/cgroup.
int core_quota(const std::string& root = "/sys/fs/cgroup",
               const std::string& membership = "/proc/self/cgroup");

}  // namespace rondo::node
