// Which matrix a line is folded into, and which grid ranks form.
#pragma once

#include <cstdint>

namespace rondo::fft {

/// rows x columns, with rows <= columns.
struct Shape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  bool operator==(const Shape&) const = default;
};

/// The factors of `number` (> 0) that are nearest to each other.
Shape balanced_factors(std::int64_t number);

/// The matrix that a line of `points` is folded into for `ranks` ranks. If ranks^2 divides `points`,
/// both sides are multiples of `ranks`, and so all blocks of an exchange are equal; else it is as
/// nearly square as can be.
Shape matrix_of(std::int64_t points, int ranks);

}  // namespace rondo::fft
