// Where on its machine a rank runs: how many cores the ranks of a node may use, which can be fewer than the machine
// has, and in which order a rank serves the others of its node.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "segment/ways.hpp"

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

/// Returns these ranks' share of the cores of this machine, within the quota, which is read once. Affinity is not
/// considered.
int share_of_machine(int ranks);

/// The socket and the last-level (L3) cache that a rank runs in, each by the lowest number of its
/// processors. A rank that may move between sockets, or between caches, has none.
struct Place {
  static constexpr std::int32_t kNone = -1;

  std::int32_t socket = kNone;
  std::int32_t cache = kNone;

  friend bool operator==(const Place&, const Place&) = default;
};

/// Returns the place of a process that may run on `cores`, from Linux's description of the processors
/// in the folder `root`. Fields whose file cannot be read are kNone.
Place place_of(const CoreSet& cores, const std::string& root = "/sys/devices/system/cpu");

/// The same for this process, read once as long as it may run on the same cores.
Place place_here(const CoreSet& cores);

Distance distance_between(const Place& one, const Place& other);

/// Returns the other ranks of a node in the order in which rank `self` serves them: first those in
/// its own cache, then those in the other caches of its socket, then those in other sockets. In its own
/// cache it begins with the rank after itself, elsewhere with the rank that has the same number there.
/// If all caches and sockets have equally many ranks, no two ranks serve the same rank at one step.
std::vector<int> order_of(std::span<const Place> places, int self);

}  // namespace rondo::segment
