// How many cores the ranks of a node may use. These can be fewer than the machine has.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <string>

namespace rondo::segment {

/// A set of cores, as bits that neighbours can combine.
struct CoreSet {
  std::array<std::uint64_t, CPU_SETSIZE / 64> bits{};

  int count() const;
};

/// Returns the cores that this process may run on (its affinity), or all cores if the affinity
/// cannot be read.
CoreSet usable_cores();

/// Returns how many cores' worth of time the control groups of this process allow: the least
/// cpu.max of its group and all groups above, rounded up. Returns a large number if there is no
/// limit. `root` and `membership` replace /sys/fs/cgroup and /proc/self/cgroup.
int core_quota(const std::string& root = "/sys/fs/cgroup",
               const std::string& membership = "/proc/self/cgroup");

/// Returns how many ranks the launcher started on this node, in whatever communicators, or 0 if the
/// launcher does not tell.
int launched_ranks();

/// Returns how many of `cores` fall to `ranks` of the `launched` ranks: all cores if every launched
/// rank can have one of its own.
int share_of_cores(int ranks, int launched, int cores);

/// Returns these ranks' share of the cores of this machine, within the quota. Affinity is not
/// considered.
int share_of_machine(int ranks);

}  // namespace rondo::segment
