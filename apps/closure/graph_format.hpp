// The two formats of graph files: edge lists, and Matrix Market coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "closure/edge.hpp"

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

}  // namespace rondo::closure
