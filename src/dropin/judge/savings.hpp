// How much longer the program takes for a call by the MPI library than for one by Rondo. No MPI.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dropin/report/times.hpp"

namespace rondo::dropin::ab {

/// With fewer, an interval would say more about their number than about the program.
inline constexpr std::size_t kFewestPairs = 6;

/// Estimates for several series together. A call of series s by the library instead of Rondo makes
/// the program `per_call[s]` seconds longer.
struct Savings {
  std::vector<double> per_call;

  /// What the measured mean of each series adds to each estimate: the inverse of the equations.
  std::vector<std::vector<double>> influence;

  /// What is left of each pair of each series once the estimates explain what they can. Scaled: the
  /// mean of as many draws varies as the measured mean does, with Student's tails for few pairs.
  std::vector<std::vector<double>> noise;

  std::size_t pairs = 0;
};

/// While a series has its pair of turns, the other series take turns too, in other orders. Their
/// effect on the pair is known from which turns ran meanwhile, so it is part of the equations.
/// Nothing where the turns fell such that the series cannot be told apart. Each series has
/// kFewestPairs.
std::optional<Savings> savings_of(std::span<const SeriesTimes* const> series);

/// Whether a series has enough pairs, in both orders.
bool can_estimate(const SeriesTimes& series);

}  // namespace rondo::dropin::ab
