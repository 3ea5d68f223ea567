// The two formats of graph files, edge lists and Matrix Market coordinates, and the contents of a
// part of such a file.
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

/// What is wrong with a line, worded to follow FILE:LINE: in a message.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a file's lines are parsed. It is the same on all ranks, and is sent to them as bytes.
struct GraphFormat {
  bool is_matrix = false;  ///< Matrix Market; the other fields apply only then
  bool both_ways = false;  ///< an entry stands for itself and its mirror image
  int values = 0;          ///< numbers after the two indices of an entry
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

/// The beginning of a file.
struct GraphHeader {
  GraphFormat format;
  std::uint64_t bytes = 0;  ///< where the first line with an edge may begin
  std::uint64_t lines = 0;  ///< before that line
};

/// Parses the first lines of a file: none of an edge list, and those up to the sizes of a Matrix
/// Market file. `next_line` returns the lines one by one, without '\n', and nothing at the end of
/// the file. Throws BadLine about the last line that was read.
GraphHeader read_header(const std::function<std::optional<std::string>()>& next_line);

/// Returns the edge on a line, or nothing if the line is empty or a comment. Throws BadLine.
///
/// Edge list: two vertices, 0 .. 2^64-1, after optional spaces or tabs. '#' and '%' begin comments.
/// Further numbers (weights, times) are ignored.
/// Matrix Market: row, column and as many values as the banner says. An entry is an edge whatever
/// its value.
std::optional<Edge> parse_edge(std::string_view line, const GraphFormat& format);

/// What precedes a part, or the total of all parts.
struct Extent {
  std::uint64_t lines = 0;
  std::uint64_t entries = 0;  ///< lines that contain an edge
};

/// A wrong line, counted from the beginning of the part: 0 is its first line.
struct Fault {
  std::uint64_t line = 0;
  std::string reason;
};

struct GraphPart {
  std::vector<Edge> edges;  ///< up to a fault, including the mirrored ones
  Extent extent;            ///< all lines, and entries up to a fault
  std::optional<Fault> fault;
};

GraphPart parse_part(std::string_view lines, const GraphFormat& format);

/// Returns the first line with an entry beyond those that the file's banner announced, if it is in
/// this part. `entries_before` is the number of entries in earlier parts; `part` was parsed from
/// `lines`.
std::optional<Fault> find_excess(std::string_view lines, const GraphPart& part,
                                 const GraphFormat& format, std::uint64_t entries_before);

}  // namespace rondo::closure
