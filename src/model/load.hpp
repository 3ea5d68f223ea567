// How long the blocks of an exchange are.
#pragma once

namespace rondo::model {

enum class Distribution {
  constant,  ///< all S bytes
  uniform,   ///< every length from 0 to S alike, S / 2 on average
};

struct Load {
  double block_bytes = 0;  ///< S
  Distribution distribution = Distribution::constant;
};

/// A load where blocks longer than a threshold go straight to their ranks and count as empty on the
/// way of the others.
struct SplitLoad {
  double largest_bytes;    ///< of those that do not
  double mean_bytes;       ///< of all blocks, the long ones as empty
  double long_share;       ///< long blocks among all, 0 to 1
  double long_mean_bytes;  ///< of these
};

SplitLoad split(const Load& load, double threshold_bytes);

}  // namespace rondo::model
