// Sizes of transforms, and the part of the whole that an array of one rank contains.
#pragma once

#include <array>
#include <cstdint>

namespace rondo::fft {

/// Points (x, y, z) in three dimensions; z runs fastest in the whole.
using Size = std::array<std::int64_t, 3>;

/// rows x columns: a matrix, or a grid of ranks.
struct Shape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  bool operator==(const Shape&) const = default;
};

/// One dimension of an array: `count` elements, of which the first is number `start` of the whole.
/// Neighbours are `stride` apart in the whole.
struct Extent {
  std::int64_t start = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;

  bool operator==(const Extent&) const = default;
};

/// The dimensions of an array, the slowest first. Element (i, j, k) of the array is element sum
/// (start + index) * stride of the whole, which is in natural order. This is plain data, so that it
/// can be sent as bytes.
struct Layout {
  std::array<Extent, 3> extents{};

  bool operator==(const Layout&) const = default;

  std::int64_t elements() const { return extents[0].count * extents[1].count * extents[2].count; }

  /// Calls `visit(index)` for each element in the order of the array, with its index in the whole.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const auto& [slow, middle, fast] = extents;
    for (std::int64_t i = slow.start; i < slow.start + slow.count; ++i)
      for (std::int64_t j = middle.start; j < middle.start + middle.count; ++j)
        for (std::int64_t k = fast.start; k < fast.start + fast.count; ++k)
          visit(i * slow.stride + j * middle.stride + k * fast.stride);
  }
};

/// `count` consecutive elements of a line.
inline Layout part_of_line(std::int64_t start, std::int64_t count) {
  return {{Extent{}, Extent{}, Extent{.start = start, .count = count, .stride = 1}}};
}

}  // namespace rondo::fft
