// What is said of a set of samples: robust against the outliers that a shared machine makes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bootstrap.hpp"

namespace rondo::support {

/// Of samples, at least one. Reorders them.
double median(std::span<double> samples);

/// In the unit of the samples.
struct Summary {
  double median = 0;
  double mad = 0;  ///< median absolute deviation from the median, not scaled
  double min = 0;
  double p95 = 0;
  double max = 0;
  double low = 0;   ///< the bootstrap 95% interval of the median ...
  double high = 0;  ///< ... from low to high
};

/// `samples` must not be empty. The same seed gives the same interval.
Summary summarize(std::vector<double> samples, std::uint64_t seed);

/// The median of `above` over that of `below`, and its bootstrap 95% interval.
struct Ratio {
  double value = 1;
  double low = 1;
  double high = 1;
};

/// As many samples of both, not empty; those of one place were taken together, and are drawn together.
Ratio ratio_of_medians(std::span<const double> above, std::span<const double> below,
                       std::uint64_t seed);

}  // namespace rondo::support
