// The benchmark's random numbers, each a pure function of what it belongs to.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/mix.hpp"

namespace rondo::bench {

/// What is drawn. Draws for different purposes are independent, also with the same seed.
enum class Draw : std::uint64_t { block_bytes = 1, shuffle, data, order };

constexpr std::uint64_t hash(Draw draw, std::initializer_list<std::uint64_t> values) {
  std::uint64_t state = mix(static_cast<std::uint64_t>(draw) * kGoldenGamma);
  for (const std::uint64_t value : values) state = mix(state * 3 + value + kGoldenGamma);
  return state;
}

/// A seeded shuffle of 0..size-1 whose entries are computed one by one, without a table: a Feistel
/// network over the smallest power of four that holds `size` values, walked until it lands below
/// `size` (fewer than four steps on average). A table would cost every rank O(P) for each of P sources;
/// this costs O(1) an entry, so a rank gets its row and its column in O(P).
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t key);

  std::uint64_t operator()(std::uint64_t index) const;

 private:
  std::uint64_t encrypt(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t key_;
  unsigned half_bits_ = 1;
};

}  // namespace rondo::bench
