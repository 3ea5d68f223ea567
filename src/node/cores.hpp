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

/// How many ranks the launcher started on this node, whatever communicators they are in; 0 where it
/// does not tell them.
int launched_ranks();

/// How many of `cores` fall to `ranks` of the ranks that were launched: all of them where every
/// launched rank can have a core of its own.
int share_of_cores(int ranks, int launched, int cores);

/// The share of these ranks in the cores of this machine, within the quota. Which cores they are
/// bound to plays no part.
int share_of_machine(int ranks);

}  // namespace rondo::node
