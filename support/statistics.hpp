// Summaries of samples, robust against the outliers of a shared machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bootstrap.hpp"

namespace rondo::support {

/// The median of at least one sample. Reorders the samples.
double median(std::span<double> samples);

/// All times are in the unit of the samples.
struct Summary {
  double median = 0;
  double mad = 0;  ///< median absolute deviation from the median, unscaled
  double min = 0;
  double p95 = 0;
  double max = 0;
  double low = 0;   ///< lower end of the median's 95% bootstrap interval
  double high = 0;  ///< upper end
};

/// `samples` must not be empty. The same seed gives the same interval.
Summary summarize(std::vector<double> samples, std::uint64_t seed);

/// The median of `above` over that of `below`, and its bootstrap 95% interval.
struct Ratio {
  double value = 1;
  double low = 1;
  double high = 1;
};

/// Both spans have the same, non-zero number of samples. Samples at the same place were taken
/// together and are resampled together.
Ratio ratio_of_medians(std::span<const double> above, std::span<const double> below,
                       std::uint64_t seed);

}  // namespace rondo::support
