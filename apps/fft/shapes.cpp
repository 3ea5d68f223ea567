#include "fft/shapes.hpp"

namespace rondo::fft {

Shape balanced_factors(std::int64_t number) {
  std::int64_t small = 1;
  for (std::int64_t factor = 2; factor <= number / factor; ++factor)
    if (number % factor == 0) small = factor;
  return {small, number / small};
}

Shape matrix_of(std::int64_t points, int ranks) {
  const std::int64_t square = std::int64_t{ranks} * ranks;
  if (points % square != 0) return balanced_factors(points);
  const Shape rest = balanced_factors(points / square);
  return {rest.rows * ranks, rest.columns * ranks};
}

}  // namespace rondo::fft
