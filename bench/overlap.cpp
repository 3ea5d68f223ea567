#include "overlap.hpp"

#include <algorithm>
#include <functional>

namespace rondo::bench {

namespace {

double median_of(std::vector<double> samples) {
  return support::median(samples);
}

/// A median of differences, since a disturbance of the machine that lasts hits both alike.
double visible_median(const OverlapSamples& samples) {
  std::vector<double> visible(samples.total.size());
  std::ranges::transform(samples.total, samples.compute, visible.begin(), std::minus());
  return support::median(visible);
}

}  // namespace

Overlap overlap_of(const OverlapSamples& samples, int tests) {
  Overlap overlap{.tests = tests,
                  .start = median_of(samples.start),
                  .compute = median_of(samples.compute),
                  .total = median_of(samples.total),
                  .visible = visible_median(samples)};
  const double pure = median_of(samples.pure);
  const double hidden = pure - overlap.visible;
  const double shorter = std::min(pure, overlap.compute);
  if (pure > 0) overlap.percent = std::max(0.0, 100 * hidden / pure);
  if (shorter > 0) overlap.imb_percent = std::clamp(100 * hidden / shorter, 0.0, 100.0);
  return overlap;
}

}  // namespace rondo::bench
