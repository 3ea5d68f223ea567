// How much longer the program takes if a call is made by the MPI library instead of Rondo. No MPI.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dropin/report/times.hpp"

namespace rondo::dropin::ab {

/// With fewer pairs the interval would depend more on their number than on the program.
inline constexpr std::size_t kFewestPairs = 6;

/// Estimates for several series together. If the library makes a call of series s instead of Rondo,
/// the program takes `per_call[s]` seconds longer.
struct Savings {
  std::vector<double> per_call;

  /// How much each series' measured mean contributes to each estimate: the inverse of the
  /// equations.
  std::vector<std::vector<double>> influence;

  /// For each pair of each series, the part that the estimates do not explain. It is scaled such
  /// that the mean of as many draws varies as the measured mean does, with the wider tails of
  /// Student's distribution for few pairs.
  std::vector<std::vector<double>> noise;

  std::size_t pairs = 0;
};

/// During a series' pair of turns other series take turns too, in other orders. The turns that ran
/// meanwhile are known, so their effect on the pair is part of the equations. Returns nothing if
/// the turns do not separate the series. Each series has at least kFewestPairs pairs.
std::optional<Savings> savings_of(std::span<const SeriesTimes* const> series);

/// Whether a series has enough pairs, in both orders.
bool can_estimate(const SeriesTimes& series);

}  // namespace rondo::dropin::ab
