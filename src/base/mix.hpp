// Random bits as pure functions of their key, so that every rank can compute what any other rank
// drew without communication.
#pragma once

#include <cstdint>

namespace rondo {

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose every output bit
/// depends on every input bit.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15U;

/// Returns random bits for the number that a rank has for a pair of ranks. If both ranks of every pair have the same
/// number, the sum over all sources equals the sum over all destinations. If any two differ, the sums are equal only with
/// a probability of 2^-64.
constexpr std::uint64_t mix_of_pair(int source, int destination, std::uint64_t number) {
  const auto pair = static_cast<std::uint64_t>(source) << 32 | static_cast<unsigned>(destination);
  return mix(mix(pair + kGoldenGamma) + number);
}

/// Maps 64 random bits to a number in low..high. The bias is (high - low) / 2^64.
constexpr std::uint64_t between(std::uint64_t bits, std::uint64_t low, std::uint64_t high) {
  return low + bits % (high - low + 1);
}

/// From 64 random bits to a number in [0, 1).
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace rondo
