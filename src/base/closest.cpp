#include "base/closest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rondo {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

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
