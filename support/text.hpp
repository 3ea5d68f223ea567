// Text as people write and read it: words, numbers and tables.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::support {

/// "a,b," -> "a", "b", "": always one entry at least.
std::vector<std::string> split_at_commas(std::string_view list);

/// Whether the whole text is a number, and one that the type has.
template <class Number>
bool read_number(std::string_view digits, Number& number) {
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  return error == std::errc{} && end == last;
}

/// A word of a file for a message: in quotes, on one line, cut if it is long.
std::string in_quotes(std::string_view word);

/// "1 rank", "2 ranks".
std::string counted(long count, std::string_view what);

using Line = std::vector<std::string>;

/// Lines of as many cells each, one under the other: the first column leans left, the others, which
/// are numbers, right.
std::string align(const std::vector<Line>& lines);

}  // namespace rondo::support
