#include "closure/graph_part.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "closure/text_file.hpp"

namespace rondo::closure {

GraphPart parse_part(std::string_view lines, const GraphFormat& format) {
  GraphPart part;
  for (; !lines.empty() && !part.fault; ++part.extent.lines) {
    try {
      const std::optional<Edge> edge = parse_edge(take_line(lines), format);
      if (!edge) continue;
      ++part.extent.entries;
      part.edges.push_back(*edge);
      if (format.both_ways && edge->from != edge->to) part.edges.push_back({edge->to, edge->from});
    } catch (const BadLine& bad) {
      part.fault = Fault{part.extent.lines, bad.what()};
    }
  }
  part.extent.lines += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
  if (!lines.empty() && lines.back() != '\n') ++part.extent.lines;
  return part;
}

std::optional<Fault> find_excess(std::string_view lines, const GraphPart& part,
                                 const GraphFormat& format, std::uint64_t entries_before) {
  if (!format.is_matrix || entries_before + part.extent.entries <= format.entries)
    return std::nullopt;
  std::uint64_t entries = entries_before;
  std::uint64_t line = 0;
  for (;; ++line) {
    if (parse_edge(take_line(lines), format)) ++entries;
    if (entries > format.entries) break;
  }
  return Fault{line, text("here is one entry more than the ", format.entries, " announced")};
}

}  // namespace rondo::closure
