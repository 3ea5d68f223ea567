#include "alignment.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::bench {

std::string counted(int count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string align(const std::vector<Line>& lines, bool last_is_text) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const Line& line : lines) {
    const std::size_t numbers = line.size() - (last_is_text ? 1 : 0);
    out += fmt::format("{:<{}}", line.front(), widths.front());
    for (std::size_t i = 1; i < numbers; ++i) out += fmt::format("  {:>{}}", line[i], widths[i]);
    if (last_is_text && !line.back().empty()) out += "  " + line.back();
    out += '\n';
  }
  return out;
}

}  // namespace rondo::bench
