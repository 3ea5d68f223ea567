// Text that people write and read: words, numbers and tables.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::support {

/// "a,b," -> "a", "b", "". There is always at least one entry.
std::vector<std::string> split_at_commas(std::string_view list);

/// Whether the whole text is a number that the type can represent.
template <class Number>
bool read_number(std::string_view digits, Number& number) {
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  return error == std::errc{} && end == last;
}

/// A word of a file for a message: in quotes, on one line, truncated if it is long.
std::string in_quotes(std::string_view word);

/// "1 rank", "2 ranks".
std::string counted(long count, std::string_view what);

using Line = std::vector<std::string>;

/// Aligns lines that have the same number of cells. The first column is left-aligned; the others,
/// which are numbers, are right-aligned.
std::string align(const std::vector<Line>& lines);

}  // namespace rondo::support
