#include "byte_list.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "support/text.hpp"

namespace rondo::bench {

namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();

[[noreturn]] void refuse(std::string_view entry, std::string_view reason) {
  throw Error(ErrorClass::argument, text("--bytes: '", entry, "' ", reason));
}

std::size_t parse_size(std::string_view entry) {
  const std::optional<std::size_t> size = read_size(entry);
  if (!size) refuse(entry, "is not a size: digits, with k, m or g behind them if need be");
  if (*size > kMostBytes)
    refuse(entry, text("is more than the ", kMostBytes, " bytes of MPI's int"));
  return *size;
}

void append_range(std::vector<std::size_t>& sizes, std::string_view entry) {
  const std::size_t colon = entry.find(':');
  const std::size_t from = parse_size(entry.substr(0, colon));
  const std::size_t to = parse_size(entry.substr(colon + 1));
  if (from == 0) refuse(entry, "starts at 0, which does not double");
  if (from > to) refuse(entry, "ends below its start");
  for (std::size_t size = from; size <= to; size *= 2) sizes.push_back(size);
}

/// Returns by how many bits k, m and g shift, in either case, and nothing for any other suffix.
std::optional<int> shift_of(std::string_view suffix) {
  if (suffix.empty()) return 0;
  const std::size_t at = std::string_view("kmgKMG").find(suffix);
  if (suffix.size() != 1 || at == std::string_view::npos) return std::nullopt;
  return 10 * (static_cast<int>(at) % 3 + 1);
}

}  // namespace

std::optional<std::size_t> read_size(std::string_view text) {
  std::size_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::optional<int> shift = shift_of({end, static_cast<std::size_t>(last - end)});
  if (error == std::errc::invalid_argument || !shift) return std::nullopt;
  const bool fits = error == std::errc{} && number <= (SIZE_MAX >> *shift);
  return fits ? number << *shift : SIZE_MAX;
}

std::vector<std::size_t> parse_byte_list(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (const std::string& entry : support::split_at_commas(text)) {
    if (entry.find(':') != std::string::npos)
      append_range(sizes, entry);
    else
      sizes.push_back(parse_size(entry));
  }
  return sizes;
}

}  // namespace rondo::bench
