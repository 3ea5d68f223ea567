#include "spmv/generator.hpp"

#include <cstdlib>
#include <limits>

#include "base/error.hpp"
#include "base/mix.hpp"
#include "support/text.hpp"

namespace rondo::spmv {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

[[noreturn]] void refuse(const std::string& given) {
  throw Error(ErrorClass::argument,
              text("--generate: '", given,
                   "' is none of 5-point:AxB, 7-point:AxBxC, "
                   "27-point:AxBxC and random:N,K, with at most 2^31-1 rows"));
}

/// Reads numbers of 1 or more, whose product is the limited number of rows.
void read_size(const std::string& given, std::string_view rest, Generator& generator) {
  const std::size_t dimensions = generator.points == 5 ? 2 : 3;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t end = i + 1 < dimensions ? rest.find('x') : rest.size();
    if (end == std::string_view::npos) refuse(given);
    std::int64_t& extent = generator.size[3 - dimensions + i];
    if (!support::read_number(rest.substr(0, end), extent) || extent < 1 ||
        extent > kMost / generator.order)
      refuse(given);
    generator.order *= extent;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void read_random(const std::string& given, std::string_view rest, Generator& generator) {
  const std::size_t comma = rest.find(',');
  if (comma == std::string_view::npos ||
      !support::read_number(rest.substr(0, comma), generator.order) ||
      !support::read_number(rest.substr(comma + 1), generator.entries) || generator.order < 1 ||
      generator.order > kMost || generator.entries < 0 || generator.entries > kMost)
    refuse(given);
}

void add(Rows& rows, std::int64_t column, double value) {
  rows.columns.push_back(column);
  rows.values.push_back(value);
}

void add_stencil_row(const Generator& generator, std::int64_t row, Rows& rows) {
  const auto& [nx, ny, nz] = generator.size;
  const std::int64_t x = row / (ny * nz), y = row / nz % ny, z = row % nz;
  const auto is_inside = [](std::int64_t place, std::int64_t extent) {
    return 0 <= place && place < extent;
  };
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dz = -1; dz <= 1; ++dz) {
        const int moved = std::abs(dx) + std::abs(dy) + std::abs(dz);
        if (generator.points != 27 && moved > 1) continue;
        if (!is_inside(x + dx, nx) || !is_inside(y + dy, ny) || !is_inside(z + dz, nz)) continue;
        add(rows, row + (dx * ny + dy) * nz + dz, moved == 0 ? generator.points - 1 : -1);
      }
}

void add_random_row(const Generator& generator, std::uint64_t seed, std::int64_t row, Rows& rows) {
  add(rows, row, 1);
  std::uint64_t state = mix(mix(seed + kGoldenGamma) + static_cast<std::uint64_t>(row));
  for (std::int64_t i = 0; i < generator.entries; ++i) {
    state += kGoldenGamma;
    const std::uint64_t bits = mix(state);
    const auto last = static_cast<std::uint64_t>(generator.order - 1);
    add(rows, static_cast<std::int64_t>(between(bits, 0, last)), unit_interval(mix(bits)));
  }
}

}  // namespace

Generator parse_generator(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(text);
  const std::string name = text.substr(0, colon);
  const std::string_view rest = std::string_view(text).substr(colon + 1);
  Generator generator;
  if (name == "random") {
    read_random(text, rest, generator);
    return generator;
  }
  for (const int points : {5, 7, 27})
    if (name == std::to_string(points) + "-point") generator.points = points;
  if (generator.points == 0) refuse(text);
  read_size(text, rest, generator);
  return generator;
}

Rows generate(const Generator& generator, std::uint64_t seed, std::int64_t first,
              std::int64_t count) {
  Rows rows{.order = generator.order, .first = first};
  for (std::int64_t row = first; row < first + count; ++row) {
    if (generator.points != 0)
      add_stencil_row(generator, row, rows);
    else
      add_random_row(generator, seed, row, rows);
    rows.starts.push_back(rows.columns.size());
  }
  return rows;
}

}  // namespace rondo::spmv
