#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rondo {

namespace {

struct Unit {
  std::string_view name;
  int shift;
};

constexpr Unit kUnits[] = {{"", 0},    {"b", 0},    {"k", 10}, {"kb", 10}, {"kib", 10}, {"m", 20},
                           {"mb", 20}, {"mib", 20}, {"g", 30}, {"gb", 30}, {"gib", 30}};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// In either case, whatever the locale of the program.
bool is_same(std::string_view given, std::string_view name) {
  return std::ranges::equal(given, name, {}, lower);
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

/// How many letters must be added, removed or replaced (Levenshtein), row by row.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(from[i]) == lower(to[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

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

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
  constexpr std::pair<std::string_view, std::int64_t> kTimes[] = {
      {"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}};
  constexpr std::int64_t kYear = 366LL * 24 * 3'600'000;
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const auto* const time =
      std::ranges::find_if(kTimes, [&](const auto& one) { return is_same(unit, one.first); });
  if (error != std::errc{} || time == std::end(kTimes)) return std::nullopt;
  if (number < 1 || number > kYear / time->second) return std::nullopt;
  return std::chrono::milliseconds(number * time->second);
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

std::string_view closest(std::string_view given, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t least = given.size() / 3 + 1;
  for (const std::string_view name : names)
    if (const std::size_t letters = distance(given, name); letters < least) {
      best = name;
      least = letters;
    }
  return best;
}

std::string suggestion(std::string_view given, std::span<const std::string_view> names) {
  const std::string_view meant = closest(given, names);
  std::string all;
  for (const std::string_view name : names) all += text(all.empty() ? "" : ", ", name);
  return text(meant.empty() ? "" : text(" (did you mean ", meant, "?)"), "; there are: ", all);
}

}  // namespace rondo
