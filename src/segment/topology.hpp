// Where on its machine a rank runs, and in which order it turns to the other ranks of its node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "segment/cores.hpp"
#include "segment/ways.hpp"

namespace rondo::segment {

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

Distance distance_between(const Place& one, const Place& other);

/// Returns the other ranks of a node in the order in which rank `self` turns to them: first those in
/// its own cache, then those in the other caches of its socket, then those in other sockets. In its own
/// cache it begins with the rank after itself, elsewhere with the rank that has the same number there.
/// If all caches and sockets have equally many ranks, no two ranks turn to the same rank at one step.
std::vector<int> order_of(std::span<const Place> places, int self);

}  // namespace rondo::segment
