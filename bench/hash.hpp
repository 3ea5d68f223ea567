// Random numbers as pure functions of what they belong to, so that every rank can compute what any
// other rank drew without being told.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace rondo::bench {

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose every output bit
/// depends on every input bit.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15U;

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

/// From 64 random bits to a number in low..high. The bias is (high - low) / 2^64.
constexpr std::uint64_t between(std::uint64_t bits, std::uint64_t low, std::uint64_t high) {
  return low + bits % (high - low + 1);
}

}  // namespace rondo::bench
