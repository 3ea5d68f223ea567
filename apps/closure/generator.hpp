// Directed graphs, and those that are made instead of read.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::closure {

/// A vertex is any number of 64 bits; a graph has the vertices that its edges name.
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
    random,  ///< M edges, each between any two of N vertices
  };
  Kind kind = Kind::chain;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< of rmat and random
};

/// "chain:N", "road:N", "rmat:SCALE", "rmat:SCALE,EDGES" (a vertex) or "random:N,M". Throws
/// Error(argument).
Generator parse_generator(const std::string& given);

/// The edges that part number `part` of `parts` makes: together the same graph for any `parts`.
std::vector<Edge> generate(const Generator& generator, std::uint64_t seed, std::uint64_t part,
                           std::uint64_t parts);

}  // namespace rondo::closure
