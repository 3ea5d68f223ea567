#include "model/load.hpp"

namespace rondo::model {

SplitLoad split(const Load& load, double threshold_bytes) {
  const double largest = load.block_bytes;
  const bool is_constant = load.distribution == Distribution::constant;
  if (largest <= threshold_bytes)
    return {.largest_bytes = largest,
            .mean_bytes = is_constant ? largest : largest / 2,
            .long_share = 0,
            .long_mean_bytes = 0};
  if (is_constant)
    return {.largest_bytes = 0, .mean_bytes = 0, .long_share = 1, .long_mean_bytes = largest};
  const double short_share = threshold_bytes / largest;
  return {.largest_bytes = threshold_bytes,
          .mean_bytes = short_share * threshold_bytes / 2,
          .long_share = 1 - short_share,
          .long_mean_bytes = (threshold_bytes + largest) / 2};
}

}  // namespace rondo::model
