#include "base/size_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace rondo {

namespace {

struct Unit {
  std::string_view name;
  int shift;
};

constexpr Unit kUnits[] = {{"", 0},    {"b", 0},    {"k", 10}, {"kb", 10}, {"kib", 10}, {"m", 20},
                           {"mb", 20}, {"mib", 20}, {"g", 30}, {"gb", 30}, {"gib", 30}};

/// In either case, whatever the locale of the program.
bool is_same(std::string_view given, std::string_view name) {
  return std::ranges::equal(given, name, [](char letter, char lower) {
    return letter == lower || (letter >= 'A' && letter <= 'Z' && letter - 'A' + 'a' == lower);
  });
}

/// By how many bits a unit shifts, and nothing for any other text.
std::optional<int> shift_of(std::string_view unit) {
  for (const Unit& one : kUnits)
    if (is_same(unit, one.name)) return one.shift;
  return std::nullopt;
}

/// What an option was given: a size, or a part of a list.
struct Entry {
  std::string_view option;
  std::string_view text;
  std::size_t most;

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorClass::argument, rondo::text(option, ": '", text, "' ", reason));
  }

  std::size_t size_of(std::string_view part) const {
    const std::optional<std::size_t> size = read_size(part);
    if (!size)
      refuse("is not a size: a number, optionally followed by k, m or g, as in 64, 1k or 1KiB");
    if (*size > most) refuse(rondo::text("is more than ", most, " bytes"));
    return *size;
  }

  void append_range(std::vector<std::size_t>& sizes, std::size_t colon) const {
    const std::size_t from = size_of(text.substr(0, colon));
    const std::size_t to = size_of(text.substr(colon + 1));
    if (from == 0) refuse("starts at 0, which does not double");
    if (from > to) refuse("ends below its start");
    for (std::size_t size = from; size <= to; size *= 2) sizes.push_back(size);
  }
};

}  // namespace

std::optional<std::size_t> read_size(std::string_view text) {
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
  std::size_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::optional<int> shift = shift_of({end, static_cast<std::size_t>(last - end)});
  if (error == std::errc::invalid_argument || !shift) return std::nullopt;
  const bool fits = error == std::errc{} && number <= (kLargest >> *shift);
  return fits ? number << *shift : kLargest;
}

std::size_t parse_size(std::string_view option, std::string_view text, std::size_t most) {
  return Entry{option, text, most}.size_of(text);
}

std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text,
                                     std::size_t most) {
  std::vector<std::size_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Entry entry{option, text.substr(begin, end - begin), most};
    const std::size_t colon = entry.text.find(':');
    if (colon == std::string_view::npos)
      sizes.push_back(entry.size_of(entry.text));
    else
      entry.append_range(sizes, colon);
    begin = end + 1;
  }
  return sizes;
}

}  // namespace rondo
