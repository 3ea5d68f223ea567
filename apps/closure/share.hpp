// Dividing a number of things into parts that differ by one at most.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rondo::closure {

/// Things first .. last-1.
struct Share {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// What part number `part` of `parts` has of `total` things; the parts follow one another.
inline Share share_of(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
  const auto begin = [&](std::uint64_t i) {
    return total / parts * i + std::min(i, total % parts);
  };
  return {begin(part), begin(part + 1)};
}

}  // namespace rondo::closure
