#include "halo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

constexpr std::size_t kNumberBytes = 8;

using Offset = std::array<int, 3>;

/// In how many dimensions an offset leads to another place.
int distance(const Offset& offset) {
  return std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]);
}

std::vector<Offset> offsets_of(const Stencil& stencil) {
  const int most = stencil.points == 27 ? 3 : 1;
  const int deepest = stencil.dimensions() == 3 ? 1 : 0;
  std::vector<Offset> offsets;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -deepest; z <= deepest; ++z)
        if (const int moved = distance({x, y, z}); 0 < moved && moved <= most)
          offsets.push_back({x, y, z});
  return offsets;
}

std::size_t bytes_through(const Offset& offset, std::size_t face_bytes) {
  const int moved = distance(offset);
  if (moved == 1) return face_bytes;
  const auto numbers = static_cast<double>(face_bytes / kNumberBytes);
  const std::size_t line = std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(numbers)));
  return std::min(face_bytes, kNumberBytes * (moved == 2 ? line : 1));
}

/// Returns the rank at `offset` from `rank`, or -1 beyond the end of the grid.
int neighbour_of(int rank, const Offset& offset, std::span<const int> grid, bool is_periodic) {
  int neighbour = 0;
  int rest = rank;
  int stride = 1;
  for (std::size_t dimension = grid.size(); dimension-- > 0;) {
    const int extent = grid[dimension];
    int place = rest % extent + offset[dimension];
    rest /= extent;
    if (!is_periodic && (place < 0 || place >= extent)) return -1;
    place = (place + extent) % extent;
    neighbour += place * stride;
    stride *= extent;
  }
  return neighbour;
}

}  // namespace

Matrix stencil_lengths(const Stencil& stencil, std::span<const int> grid, std::size_t bytes) {
  const int ranks = std::accumulate(grid.begin(), grid.end(), 1, std::multiplies{});
  const auto side = static_cast<std::size_t>(ranks);
  std::vector<std::uint64_t> entries(side * side);
  const std::vector<Offset> offsets = offsets_of(stencil);
  for (int rank = 0; rank < ranks; ++rank)
    for (const Offset& offset : offsets) {
      const int neighbour = neighbour_of(rank, offset, grid, stencil.is_periodic);
      if (neighbour < 0 || neighbour == rank) continue;
      entries[static_cast<std::size_t>(rank) * side + static_cast<std::size_t>(neighbour)] +=
          bytes_through(offset, bytes);
    }
  return {ranks, std::move(entries)};
}

std::vector<std::uint64_t> halo_lengths(const support::SparseMatrix& matrix,
                                        const std::string& file, int ranks) {
  if (matrix.rows != matrix.columns)
    throw Error(ErrorClass::argument,
                text(file, ": the matrix is not square, but ", matrix.rows, " x ", matrix.columns));
  // Rank p has the rows from p rows / P on.
  const auto owner = [&](std::int64_t row) {
    return static_cast<std::size_t>(((row + 1) * ranks - 1) / matrix.rows);
  };
  std::set<std::pair<std::size_t, std::int64_t>> wanted;
  for (const auto& entry : matrix.entries)
    if (const std::size_t rank = owner(entry.row); owner(entry.column) != rank)
      wanted.emplace(rank, entry.column);
  const auto side = static_cast<std::size_t>(ranks);
  std::vector<std::uint64_t> lengths(side * side);
  for (const auto& [rank, column] : wanted) lengths[owner(column) * side + rank] += kNumberBytes;
  return lengths;
}

}  // namespace rondo::bench
