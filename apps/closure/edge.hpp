// What a directed graph is made of.
#pragma once

#include <compare>
#include <cstdint>

namespace rondo::closure {

/// A vertex is any number of 64 bits; a graph has the vertices that its edges name.
struct Edge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

}  // namespace rondo::closure
