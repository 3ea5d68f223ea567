// Random partners of a rank.
#include "simulate/partners.hpp"

#include <algorithm>
#include <set>

namespace rondo::simulate {

namespace {

/// Draws `count` different numbers from 0..others-1 (Floyd's algorithm).
std::set<int> draw_numbers(int count, int others, std::uint64_t key) {
  std::set<int> drawn;
  for (int last = others - count; last < others; ++last) {
    const auto bits = random_bits(key, static_cast<std::uint64_t>(last));
    const auto number = static_cast<int>(bits % (static_cast<std::uint64_t>(last) + 1));
    if (!drawn.insert(number).second) drawn.insert(last);
  }
  return drawn;
}

}  // namespace

std::vector<Partner> partners_of(int source, const Exchange& exchange, const Lengths& lengths) {
  const int others = exchange.layout.ranks - 1;
  const Distribution& distribution = exchange.load.distribution;
  const bool is_sparse = distribution.kind == Distribution::Kind::sparse;
  const std::uint64_t key = random_bits(mix(exchange.seed), static_cast<std::uint64_t>(source));
  std::vector<Partner> partners;
  if (is_sparse) {
    const int count = static_cast<int>(std::min<double>(distribution.value, others));
    for (const int number : draw_numbers(count, others, key))
      partners.push_back({number < source ? number : number + 1, lengths.largest()});
    return partners;
  }
  for (int number = 0; number < others; ++number) {
    const int rank = number < source ? number : number + 1;
    const double bytes = lengths.quantile(unit(random_bits(key, static_cast<std::uint64_t>(rank))));
    if (bytes > 0) partners.push_back({rank, bytes});
  }
  return partners;
}

}  // namespace rondo::simulate
