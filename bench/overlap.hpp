// How much of an exchange hides behind computing.
#pragma once

#include <cstdint>
#include <vector>

#include "support/statistics.hpp"

namespace rondo::bench {

/// Microseconds of the slowest rank, iteration by iteration.
struct OverlapSamples {
  std::vector<double> pure;     ///< start and wait, with nothing between them
  std::vector<double> start;    ///< of these, the start alone
  std::vector<double> compute;  ///< the computing alone
  std::vector<double> total;    ///< start, compute, wait
};

/// What is reported of them: medians.
struct Overlap {
  int tests = 0;  ///< between the start and the wait
  double start = 0;
  double compute = 0;
  double total = 0;
  double visible = 0;      ///< of total - compute, iteration by iteration
  double percent = 0;      ///< as OSU: 100 (1 - visible / pure), but not below 0
  double imb_percent = 0;  ///< as IMB: 100 (pure - visible) / min(pure, compute), from 0 to 100
};

Overlap overlap_of(const OverlapSamples& samples, int tests);

}  // namespace rondo::bench
