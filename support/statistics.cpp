#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::support {

namespace {

/// The median of the samples at these places; `drawn` is scratch memory for them.
double median_at(std::span<const double> samples, std::span<const std::size_t> places,
                 std::vector<double>& drawn) {
  drawn.clear();
  for (const std::size_t place : places) drawn.push_back(samples[place]);
  return median(drawn);
}

/// The bootstrap interval of `statistic(places)`, for as many places as there are samples.
template <class Statistic>
Interval interval_of(std::size_t samples, std::uint64_t seed, Statistic&& statistic) {
  std::vector<std::size_t> places(samples);
  return bootstrap(seed, [&](Drawer& draw) {
    for (std::size_t& place : places) place = draw(samples);
    return statistic(places);
  });
}

}  // namespace

double median(std::span<double> samples) {
  // This selects instead of sorting, because a bootstrap calls it thousands of times.
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  if (samples.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(samples.begin(), middle), *middle);
}

Summary summarize(std::vector<double> samples, std::uint64_t seed) {
  std::vector<double> drawn;
  const auto median_of = [&](std::span<const std::size_t> places) {
    return median_at(samples, places, drawn);
  };
  std::ranges::sort(samples);
  const double middle = percentile(samples, 0.5);
  const Interval interval = interval_of(samples.size(), seed, median_of);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - middle));
  return {.median = middle,
          .mad = median(deviations),
          .min = samples.front(),
          .p95 = percentile(samples, 0.95),
          .max = samples.back(),
          .low = interval.low,
          .high = interval.high};
}

Ratio ratio_of_medians(std::span<const double> above, std::span<const double> below,
                       std::uint64_t seed) {
  std::vector<double> drawn;
  const auto ratio = [&](std::span<const std::size_t> places) {
    const double numerator = median_at(above, places, drawn);
    return numerator / median_at(below, places, drawn);
  };
  std::vector<std::size_t> all(above.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Interval interval = interval_of(above.size(), seed, ratio);
  return {.value = ratio(all), .low = interval.low, .high = interval.high};
}

}  // namespace rondo::support
