// Algorithms against each other on one set of exchanges, for a limited time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "exchange.hpp"

namespace rondo::bench {

/// By contender: the geometric mean over the exchanges of the mean of the middle half of its times, in
/// microseconds, or nothing if it was dropped as too slow. The same on all ranks.
using Scores = std::vector<std::optional<double>>;

struct RaceRules {
  double seconds = 1;  ///< to spend, roughly; every contender runs a few times in any case
  std::uint64_t seed = 1;
  std::function<void(const Contender&)> announce;  ///< before each sample
};

/// Collective. Contenders that are behind are dropped. The others run on until the time is over or
/// they are known well enough.
Scores race(const Communicator& comm, const std::vector<const Contender*>& contenders,
            std::deque<Exchange>& exchanges, const RaceRules& rules);

}  // namespace rondo::bench
