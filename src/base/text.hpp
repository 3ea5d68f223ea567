// Texts and what they say: sizes in bytes as people write them ("64", "1k", "1KiB", "16,64,256", "16:4k"), times, names
// that may be misspelt, and what ranks send each other ("16384 node_aware\n"). Streams are not used because they would read
// numbers by the host program's locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rondo {

/// Parses digits followed by a unit, in either case: k, kb or kib for 1024, m, mb or mib for 1024^2, g, gb
/// or gib for 1024^3, b or nothing for 1. A size that is too large for the type becomes its largest value.
/// Returns nothing if the text is not a size.
std::optional<std::size_t> read_size(std::string_view text);

/// As read_size(). Throws Error(argument), which names the option, unless it is a size of at most `most`.
std::size_t parse_size(std::string_view option, std::string_view text, std::size_t most);

/// Parses a time in whole seconds, or in another unit: "60", "60s", "500ms", "5m", "1h". Returns nothing if the text is
/// none, or is no time at all, or more than a year.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

/// Parses entries separated by commas. Each is a size, or a range FROM:TO of sizes that double from FROM up
/// to TO at most. Throws Error(argument), which names the option and the entry.
std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text,
                                     std::size_t most);

/// Returns the name that differs from `given` in the fewest letters, case aside, if these are at most a
/// third of it. Else returns nothing.
std::string_view closest(std::string_view given, std::span<const std::string_view> names);

/// " (did you mean NAME?); there are: NAMES", or "; there are: NAMES" if none is close.
std::string suggestion(std::string_view given, std::span<const std::string_view> names);

/// Removes the first word from `text`, with what separates it from the next one, and returns it. Returns nothing if no
/// word is left.
inline std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// The same for a whole number. Returns nothing if the word is none.
inline std::optional<std::size_t> take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  const char* const end = word.data() + word.size();
  std::size_t number = 0;
  const auto read = std::from_chars(word.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace rondo
