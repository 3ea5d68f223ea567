// Whose turn a call is when Rondo and the MPI library are compared. No MPI.
#pragma once

#include <cstdint>

#include "base/mix.hpp"
#include "buffers/form.hpp"

namespace rondo::dropin::ab {

enum class Arm { rondo, library };

/// A turn has this many calls, so that only one in eight finds the caches as the other arm left
/// them.
inline constexpr std::int64_t kTurnCalls = 8;
inline constexpr std::int64_t kPairCalls = 2 * kTurnCalls;

/// The number from which the order of a series' turns is drawn. Series that share a rank differ in
/// `key` or in `form`, so their orders are independent: the effect of one on the other is noise,
/// not bias.
constexpr std::uint64_t order_of(std::uint64_t seed, std::int64_t key, buffers::Form form) {
  const auto forms = static_cast<std::uint64_t>(buffers::kFormNames.size());
  const std::uint64_t series =
      static_cast<std::uint64_t>(key) * forms + static_cast<std::uint64_t>(form);
  return mix(mix(seed + kGoldenGamma) + series * kGoldenGamma);
}

/// The calls 0, 1, 2, ... of a series come in pairs of turns, one for each arm. The arm that comes
/// first is drawn for every other pair, and the next pair has the opposite order. So neither a
/// trend nor a program with a rhythm of two turns favours an arm.
constexpr Arm arm_of(std::uint64_t order, std::int64_t call) {
  const auto pair = static_cast<std::uint64_t>(call / kPairCalls);
  const bool is_second = call % kPairCalls >= kTurnCalls;
  const bool is_drawn = mix(order + (pair / 2 + 1) * kGoldenGamma) % 2 != 0;
  const bool library_is_second = is_drawn != (pair % 2 != 0);
  return is_second == library_is_second ? Arm::library : Arm::rondo;
}

/// How many of the first `calls` calls are the library's.
constexpr std::int64_t library_calls(std::uint64_t order, std::int64_t calls) {
  std::int64_t count = calls / kPairCalls * kTurnCalls;
  for (std::int64_t call = calls / kPairCalls * kPairCalls; call < calls; ++call)
    if (arm_of(order, call) == Arm::library) ++count;
  return count;
}

}  // namespace rondo::dropin::ab
