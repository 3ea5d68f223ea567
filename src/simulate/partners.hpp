// The ranks to which a rank sends in a sparse exchange, and how much.
#pragma once

#include <vector>

#include "simulate/exchange.hpp"

namespace rondo::simulate {

struct Partner {
  int rank;
  double bytes;
};

/// The partners of `source` without itself, in ascending order. A pure function of the exchange's seed.
std::vector<Partner> partners_of(int source, const Exchange& exchange, const Lengths& lengths);

}  // namespace rondo::simulate
