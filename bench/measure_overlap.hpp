// Measures nonblocking exchanges: how much of one hides behind computing of the same length.
#pragma once

#include "measure.hpp"
#include "overlap.hpp"

namespace rondo::bench {

/// By contender, in their order. The times of `exchanges` are those of a start and a wait.
struct OverlapMeasurement {
  Measurement exchanges;
  std::vector<OverlapSamples> overlaps{};  ///< on rank 0 only
};

/// Collective. As measure(), with three takes for each contender: start and wait; computing, which takes
/// as long as these do, by measurements before the first iteration; and start, computing in `tests` + 1
/// slices with a test between two of them, and wait.
OverlapMeasurement measure_overlap(const Communicator& comm,
                                   std::span<const Contender* const> contenders, Exchange& exchange,
                                   const Method& method, int tests,
                                   const std::function<void(const Contender&, int)>& announce);

}  // namespace rondo::bench
