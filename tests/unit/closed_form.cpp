#include "closed_form.hpp"

#include <algorithm>

namespace rondo::model {

namespace {

// With r at most P, and powers of it taken only up to the first that reaches P, nothing exceeds
// P r < 2^62.
std::int64_t effective_radix(std::int64_t ranks, std::int64_t radix) {
  return std::min(radix, std::max<std::int64_t>(ranks, 2));
}

/// Names in 0..ranks-1 whose digit of weight `unit` is `value`: Proposition 4, which holds for the
/// value 0 too.
std::int64_t names_with_digit(std::int64_t ranks, std::int64_t radix, std::int64_t unit,
                              std::int64_t value) {
  const std::int64_t group = unit * radix;
  const std::int64_t full_groups = ranks / group * unit;
  const std::int64_t last_group = ranks % group - value * unit;
  return full_groups + std::clamp<std::int64_t>(last_group, 0, unit);
}

}  // namespace

std::int64_t rounds_of_bruck(std::int64_t ranks, std::int64_t radix) {
  if (ranks <= 1) return 0;
  const std::int64_t r = effective_radix(ranks, radix);
  std::int64_t digits = 1;
  std::int64_t unit = 1;  // r^(digits - 1)
  while (unit * r < ranks) {
    unit *= r;
    ++digits;
  }
  return digits * (r - 1) - (unit * r - ranks) / unit;
}

std::int64_t blocks_of_round(std::int64_t ranks, std::int64_t radix, int digit,
                             std::int64_t value) {
  const std::int64_t r = effective_radix(ranks, radix);
  std::int64_t unit = 1;
  for (int x = 0; x < digit && unit < ranks; ++x) unit *= r;
  if (unit >= ranks || value >= r) return 0;
  return names_with_digit(ranks, r, unit, value);
}

std::int64_t blocks_of_bruck(std::int64_t ranks, std::int64_t radix) {
  const std::int64_t r = effective_radix(ranks, radix);
  std::int64_t blocks = 0;
  // The values 1..r-1 of a digit together are all names but those with the value 0, which spares a
  // sum over up to 2^31 values.
  for (std::int64_t unit = 1; unit < ranks; unit *= r)
    blocks += ranks - names_with_digit(ranks, r, unit, 0);
  return blocks;
}

std::int64_t rounds_of_two_layer(std::int64_t nodes, std::int64_t per_node, LayerRadices radices) {
  return rounds_of_bruck(per_node, radices.intra) + rounds_of_bruck(nodes, radices.inter);
}

std::int64_t blocks_of_two_layer(std::int64_t nodes, std::int64_t per_node, LayerRadices radices) {
  return nodes * blocks_of_bruck(per_node, radices.intra) +
         per_node * blocks_of_bruck(nodes, radices.inter);
}

std::int64_t rounds_of_linear(std::int64_t ranks) {
  return std::max<std::int64_t>(ranks - 1, 0);
}

}  // namespace rondo::model
