// One line of results: one algorithm at one block size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "origin.hpp"
#include "statistics.hpp"

namespace rondo::bench {

struct Result {
  std::string collective;
  std::string algorithm;   ///< as it was asked for
  std::string parameters;  ///< the values that it ran with; of auto, what it ran
  int ranks = 0;
  int nodes = 0;
  std::size_t bytes = 0;  ///< S
  std::string distribution;
  int iterations = 0;
  int warmup = 0;
  int batch = 1;
  std::uint64_t seed = 0;
  int draws = 1;  ///< of block lengths, which took turns
  Summary microseconds;
  double bytes_per_rank = 0;  ///< mean over ranks of what one sends in a call, itself included
  std::optional<int> rounds;  ///< none where the schedule is not known
  std::optional<std::uint64_t> errors{};  ///< wrong bytes; none without --check
  double speedup = 1;                     ///< median of `mpi` over this median
  Origin origin{};
  std::vector<double> samples{};  ///< microseconds, in the order of the iterations; with --samples
};

}  // namespace rondo::bench
