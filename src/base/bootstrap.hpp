// Confidence intervals by the bootstrap (Efron, "Bootstrap methods: another look at the jackknife",
// 1979): a figure is computed again and again from samples drawn with replacement.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mix.hpp"

namespace rondo {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Returns the value below which `fraction` (0..1) of the samples lie, interpolated between
/// adjacent samples. `sorted` is ascending and not empty.
inline double percentile(std::span<const double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

/// Draws indices with replacement. The same seed draws the same indices.
class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : state_(mix(seed + kGoldenGamma)) {}

  /// Returns one of 0 .. count-1.
  std::size_t operator()(std::size_t count) {
    return between(mix(state_ += kGoldenGamma), 0, count - 1);
  }

 private:
  std::uint64_t state_;
};

/// Returns the 95 % interval of a figure. figure(draw) computes it from samples whose indices it
/// draws.
template <class Figure>
Interval bootstrap(std::uint64_t seed, Figure&& figure) {
  constexpr int kResamples = 1000;
  Drawer draw(seed);
  std::vector<double> figures;
  for (int resample = 0; resample < kResamples; ++resample) figures.push_back(figure(draw));
  std::ranges::sort(figures);
  return {.low = percentile(figures, 0.025), .high = percentile(figures, 0.975)};
}

}  // namespace rondo
