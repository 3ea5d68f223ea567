// The benchmark's random numbers, each a pure function of what it belongs to.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/mix.hpp"

namespace rondo::bench {

/// What is drawn; draws of different purposes are independent for the same seed.
enum class Draw : std::uint64_t { block_bytes = 1, shuffle, data, order, bootstrap };

constexpr std::uint64_t hash(Draw draw, std::initializer_list<std::uint64_t> values) {
  std::uint64_t state = mix(static_cast<std::uint64_t>(draw) * kGoldenGamma);
  for (const std::uint64_t value : values) state = mix(state * 3 + value + kGoldenGamma);
  return state;
}

/// From 64 random bits to a number in [0, 1).
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace rondo::bench
