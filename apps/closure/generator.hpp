// Directed graphs, and generators for them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::closure {

/// A vertex is any 64-bit number. A graph has the vertices that its edges name.
struct Edge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// Vertices are 0 .. N-1. An edge may occur twice in `rmat` and `random`.
struct Generator {
  enum class Kind {
    chain,   ///< N vertices in a row, each with an edge to the next
    road,    ///< N vertices, see generator.cpp
    rmat,    ///< 2^SCALE vertices, with hubs: R-MAT (Chakrabarti, Zhan, Faloutsos 2004)
    random,  ///< M edges, each between two random vertices of N
  };
  Kind kind = Kind::chain;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< of rmat and random
};

/// Parses "chain:N", "road:N", "rmat:SCALE", "rmat:SCALE,EDGES" (edges per vertex) or "random:N,M".
/// Throws Error(argument).
Generator parse_generator(const std::string& given);

/// Returns the edges of part number `part` of `parts`. The graph is the same for any number of
/// parts.
std::vector<Edge> generate(const Generator& generator, std::uint64_t seed, std::uint64_t part,
                           std::uint64_t parts);

}  // namespace rondo::closure
