// To which ranks a rank sends in a sparse exchange, and how many bytes.
#pragma once

#include <vector>

#include "simulate/exchange.hpp"

namespace rondo::simulate {

struct Partner {
  int rank;
  double bytes;
};

/// The partners of `source` in ascending order, a pure function of the exchange's seed. A rank is never its
/// own partner.
std::vector<Partner> partners_of(int source, const Exchange& exchange, const Lengths& lengths);

}  // namespace rondo::simulate
