// The transposition of a matrix in the memory of one rank.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rondo::fft {

/// Row r of a matrix begins at `from + r * from_stride` and becomes column r of one whose rows
/// begin at `to + c * to_stride`: to(c, r) = take(r, c, from(r, c)).
///
/// Eight rows at a time are read, which is as many streams as a first-level cache keeps apart even if
/// the rows are a power of two apart, and 64 columns, so that their pages stay in the translation
/// buffer while the next rows are read.
template <class Element, class Take>
void turn(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
          std::int64_t rows, std::int64_t columns, Take&& take) {
  constexpr std::int64_t kRows = 8;
  constexpr std::int64_t kColumns = 64;
  for (std::int64_t left = 0; left < columns; left += kColumns) {
    const std::int64_t right = std::min(left + kColumns, columns);
    for (std::int64_t top = 0; top < rows; top += kRows) {
      const std::int64_t bottom = std::min(top + kRows, rows);
      for (std::int64_t c = left; c < right; ++c)
        for (std::int64_t r = top; r < bottom; ++r)
          to[c * to_stride + r] = take(r, c, from[r * from_stride + c]);
    }
  }
}

}  // namespace rondo::fft
