// Numbers that depend on nothing but a seed: alike on every rank and every machine.
#pragma once

#include <cstdint>
#include <utility>

#include "base/mix.hpp"

namespace rondo::testing {

/// A step of splitmix64: every bit of the result depends on every bit of `value`.
constexpr std::uint64_t mix(std::uint64_t value) {
  return rondo::mix(value + kGoldenGamma);
}

template <class... Values>
constexpr std::uint64_t hash(Values... values) {
  std::uint64_t state = 0;
  ((state = mix(state ^ static_cast<std::uint64_t>(values))), ...);
  return state;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mix(state_++); }

  /// 0 .. limit-1; 0 where limit is 0.
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }

  /// Fisher-Yates.
  template <class Sequence>
  void shuffle(Sequence& sequence) {
    for (auto left = sequence.size(); left > 1; --left)
      std::swap(sequence[left - 1], sequence[below(left)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rondo::testing
