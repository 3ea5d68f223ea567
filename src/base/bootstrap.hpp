// Intervals by the bootstrap (Efron, "Bootstrap methods: another look at the jackknife", 1979): what a
// figure would have been, had other samples been drawn.
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

/// The value below which the share `fraction` (0..1) of the samples lies, interpolated between
/// neighbours. `sorted` is ascending and not empty.
inline double percentile(std::span<const double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

/// Draws places with replacement, the same ones for the same seed.
class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : state_(mix(seed + kGoldenGamma)) {}

  /// One of 0 .. count-1.
  std::size_t operator()(std::size_t count) {
    return between(mix(state_ += kGoldenGamma), 0, count - 1);
  }

 private:
  std::uint64_t state_;
};

/// The 95 % interval of a figure. `figure(draw)` computes it once more, from samples at places that it
/// takes from the Drawer.
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
