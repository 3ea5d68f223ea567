// The words of a text that ranks send each other, such as "16384 node_aware\n". Streams are not used because they would
// read numbers by the host program's locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace rondo {

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
