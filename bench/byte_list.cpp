#include "byte_list.hpp"

#include <charconv>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();

[[noreturn]] void refuse(std::string_view entry, std::string_view reason) {
  throw Error(ErrorClass::argument, text("--bytes: '", entry, "' ", reason));
}

std::size_t parse_size(std::string_view entry) {
  std::size_t number = 0;
  const char* const last = entry.data() + entry.size();
  const auto [end, error] = std::from_chars(entry.data(), last, number);
  if (error == std::errc::result_out_of_range) refuse(entry, "is too large");
  const std::string_view suffix(end, static_cast<std::size_t>(last - end));
  if (error != std::errc{} || !(suffix.empty() || suffix == "k" || suffix == "m"))
    refuse(entry, "is not a size: digits, with k or m behind them if need be");
  const std::size_t unit = suffix.empty() ? 1 : suffix == "k" ? 1024 : 1024 * 1024;
  if (number > kMostBytes / unit)
    refuse(entry, text("is more than the ", kMostBytes, " bytes of MPI's int"));
  return number * unit;
}

void append_range(std::vector<std::size_t>& sizes, std::string_view entry) {
  const std::size_t colon = entry.find(':');
  const std::size_t from = parse_size(entry.substr(0, colon));
  const std::size_t to = parse_size(entry.substr(colon + 1));
  if (from == 0) refuse(entry, "starts at 0, which does not double");
  if (from > to) refuse(entry, "ends below its start");
  for (std::size_t size = from; size <= to; size *= 2) sizes.push_back(size);
}

}  // namespace

std::vector<std::size_t> parse_byte_list(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = text.substr(begin, end - begin);
    if (entry.find(':') != std::string_view::npos)
      append_range(sizes, entry);
    else
      sizes.push_back(parse_size(entry));
    begin = end + 1;
  }
  return sizes;
}

}  // namespace rondo::bench
