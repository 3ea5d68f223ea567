#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hash.hpp"

namespace rondo::bench {

namespace {

constexpr int kResamples = 1000;

/// Reorders the samples. Selects instead of sorting: it runs once a resample.
double median_of(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(samples.begin(), middle), *middle);
}

double median_absolute_deviation(const std::vector<double>& samples, double median) {
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - median));
  return median_of(deviations);
}

/// What `statistic(places)` is for as many places of samples again, drawn with replacement; ascending.
template <class Statistic>
std::vector<double> bootstrap(std::size_t samples, std::uint64_t seed, Statistic&& statistic) {
  std::vector<double> values;
  std::vector<std::size_t> places(samples);
  std::uint64_t state = hash(Draw::bootstrap, {seed});
  for (int resample = 0; resample < kResamples; ++resample) {
    for (std::size_t& place : places) {
      state += kGoldenGamma;
      place = between(mix(state), 0, samples - 1);
    }
    values.push_back(statistic(places));
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// The median of the samples at these places; `drawn` is room for them.
double median_at(std::span<const double> samples, std::span<const std::size_t> places,
                 std::vector<double>& drawn) {
  drawn.resize(places.size());
  std::transform(places.begin(), places.end(), drawn.begin(),
                 [&](std::size_t place) { return samples[place]; });
  return median_of(drawn);
}

}  // namespace

double percentile(std::span<const double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

Summary summarize(std::vector<double> samples, std::uint64_t seed) {
  std::sort(samples.begin(), samples.end());
  const double median = percentile(samples, 0.5);
  std::vector<double> drawn;
  const std::vector<double> medians = bootstrap(
      samples.size(), seed,
      [&](std::span<const std::size_t> places) { return median_at(samples, places, drawn); });
  return {.median = median,
          .mad = median_absolute_deviation(samples, median),
          .min = samples.front(),
          .p95 = percentile(samples, 0.95),
          .max = samples.back(),
          .low = percentile(medians, 0.025),
          .high = percentile(medians, 0.975)};
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
  const std::vector<double> ratios = bootstrap(above.size(), seed, ratio);
  return {.value = ratio(all), .low = percentile(ratios, 0.025), .high = percentile(ratios, 0.975)};
}

}  // namespace rondo::bench
