// The two formats of graph files: edge lists, and Matrix Market coordinates; and what stands in a part
// of a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "closure/generator.hpp"

namespace rondo::closure {

/// What is wrong with a line, in words that follow FILE:LINE: in a message.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a file's lines are to be understood; the same for all ranks, and sent to them as bytes.
struct GraphFormat {
  bool is_matrix = false;  ///< Matrix Market; the rest is for that alone
  bool both_ways = false;  ///< an entry stands for itself and its mirror image
  int values = 0;          ///< numbers behind the two indices of an entry
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

/// What a file begins with.
struct GraphHeader {
  GraphFormat format;
  std::uint64_t bytes = 0;  ///< where the first line of edges may begin
  std::uint64_t lines = 0;  ///< before that one
};

/// Understand the first lines of a file: none of an edge list, and of Matrix Market those up to the
/// sizes. `next_line` returns them one by one, without '\n', and nothing at the file's end. Throws
/// BadLine; the line is then the last that it asked for.
GraphHeader read_header(const std::function<std::optional<std::string>()>& next_line);

/// The edge on a line, or nothing if the line is empty or a comment. Throws BadLine.
///
/// Edge list: two vertices, 0 .. 2^64-1, behind spaces or tabs; '#' and '%' begin comments. There
/// may be more numbers (weights, times), which do not matter.
/// Matrix Market: row, column and as many values as the banner says. An entry is an edge whatever
/// its value.
std::optional<Edge> parse_edge(std::string_view line, const GraphFormat& format);

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
