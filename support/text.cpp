#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::support {

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    entries.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string shown(word.substr(0, kLongest));
  std::ranges::replace_if(
      shown, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, '?');
  return fmt::format("'{}{}'", shown, word.size() > kLongest ? "..." : "");
}

std::string counted(long count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string align(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const Line& line : lines) {
    out += fmt::format("{:<{}}", line.front(), widths.front());
    for (std::size_t i = 1; i < line.size(); ++i)
      out += fmt::format("  {:>{}}", line[i], widths[i]);
    out += '\n';
  }
  return out;
}

}  // namespace rondo::support
