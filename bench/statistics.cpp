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

/// The medians of as many samples again, drawn with replacement; ascending.
std::vector<double> bootstrap_medians(const std::vector<double>& samples, std::uint64_t seed) {
  std::vector<double> medians;
  std::vector<double> drawn(samples.size());
  std::uint64_t state = hash(Draw::bootstrap, {seed});
  for (int resample = 0; resample < kResamples; ++resample) {
    for (double& sample : drawn) {
      state += kGoldenGamma;
      sample = samples[between(mix(state), 0, samples.size() - 1)];
    }
    medians.push_back(median_of(drawn));
  }
  std::sort(medians.begin(), medians.end());
  return medians;
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
  const std::vector<double> medians = bootstrap_medians(samples, seed);
  return {.median = median,
          .mad = median_absolute_deviation(samples, median),
          .min = samples.front(),
          .p95 = percentile(samples, 0.95),
          .max = samples.back(),
          .low = percentile(medians, 0.025),
          .high = percentile(medians, 0.975)};
}

}  // namespace rondo::bench
