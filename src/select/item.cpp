#include "select/item.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.hpp"

namespace rondo::select {

namespace {

constexpr std::size_t kLongestText = 512;

/// Also those above ASCII, which begin with the byte 0xc2, because terminals obey them.
bool has_control_character(std::string_view utf8) {
  unsigned char before = 0;
  return std::ranges::any_of(utf8, [&](unsigned char c) {
    const bool is_high = std::exchange(before, c) == 0xc2 && c < 0xa0;
    return c < ' ' || c == 0x7f || is_high;
  });
}

}  // namespace

void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorClass::argument, text(where, " ", what));
}

Item Item::at(const std::string& name) const {
  if (!value_.is_object()) refuse(where_, "is not an object");
  const auto found = value_.find(name);
  if (found == value_.end()) refuse(where_, text("has no \"", name, "\""));
  return {*found, text(where_, ".", name)};
}

std::string Item::string() const {
  if (!value_.is_string()) refuse(where_, "is not text");
  const auto& found = value_.get_ref<const std::string&>();
  if (found.size() > kLongestText)
    refuse(where_, text("is longer than ", kLongestText, " characters"));
  if (has_control_character(found)) refuse(where_, "has a control character in it");
  return found;
}

std::int64_t Item::whole(std::int64_t least, std::int64_t most) const {
  const bool is_whole = value_.is_number_integer() &&
                        (!value_.is_number_unsigned() || value_.get<std::uint64_t>() <= INT64_MAX);
  if (!is_whole || value_.get<std::int64_t>() < least || value_.get<std::int64_t>() > most)
    refuse(where_, text("is not a whole number in ", least, "..", most));
  return value_.get<std::int64_t>();
}

double Item::price() const {
  constexpr double kMostSeconds = 1e3;
  const double number = value_.is_number() ? value_.get<double>() : -1;
  if (!std::isfinite(number) || number < 0 || number > kMostSeconds)
    refuse(where_, text("is not a number of seconds from 0 to ", kMostSeconds));
  return number;
}

std::vector<Item> Item::list(std::size_t most) const {
  if (!value_.is_array()) refuse(where_, "is not a list");
  if (value_.size() > most) refuse(where_, text("has more than ", most, " entries"));
  std::vector<Item> items;
  for (std::size_t i = 0; i < value_.size(); ++i)
    items.emplace_back(value_[i], text(where_, "[", i, "]"));
  return items;
}

}  // namespace rondo::select
