// The edges in a part of a graph's file, and what is wrong with that part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "closure/edge.hpp"
#include "closure/graph_format.hpp"

namespace rondo::closure {

/// What precedes a part, or what the parts have together.
struct Extent {
  std::uint64_t lines = 0;
  std::uint64_t entries = 0;  ///< lines that have an edge
};

/// A line that is wrong, counted from the part's beginning: 0 is its first.
struct Fault {
  std::uint64_t line = 0;
  std::string reason;
};

struct GraphPart {
  std::vector<Edge> edges;  ///< up to a fault; also the mirrored ones
  Extent extent;            ///< all lines, and entries up to a fault
  std::optional<Fault> fault;
};

GraphPart parse_part(std::string_view lines, const GraphFormat& format);

/// The first line with an entry that is more than the file's banner announced, if one is in this
/// part. `entries_before` are in the parts before it; `part` came from `lines`.
std::optional<Fault> find_excess(std::string_view lines, const GraphPart& part,
                                 const GraphFormat& format, std::uint64_t entries_before);

}  // namespace rondo::closure
