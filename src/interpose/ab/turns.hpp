// Whose turn a call is where Rondo and the MPI library are compared.
#pragma once

#include <cstdint>

#include "base/mix.hpp"

namespace rondo::interpose::ab {

enum class Arm { rondo, library };

/// Both arms get blocks of so many calls: only the first call of a block finds the caches as the
/// other arm left them.
inline constexpr std::int64_t kBlockCalls = 8;
inline constexpr std::int64_t kPairCalls = 2 * kBlockCalls;

/// Durations that a rank keeps, over all communicators. Calls go on to take turns beyond that.
inline constexpr std::int64_t kMostKept = std::int64_t{1} << 22;

/// The calls 0, 1, 2, ... of a collective on a communicator come in pairs of blocks. Which arm has
/// the first block of a pair is drawn, so that no rhythm of the program favours one.
constexpr Arm arm_of(std::uint64_t seed, std::int64_t call) {
  const auto pair = static_cast<std::uint64_t>(call / kPairCalls);
  const bool is_second = call % kPairCalls >= kBlockCalls;
  const bool library_is_second = mix(mix(seed + kGoldenGamma) + pair * kGoldenGamma) % 2 != 0;
  return is_second == library_is_second ? Arm::library : Arm::rondo;
}

/// How many of the first `calls` calls are the library's.
constexpr std::int64_t library_calls(std::uint64_t seed, std::int64_t calls) {
  std::int64_t count = calls / kPairCalls * kBlockCalls;
  for (std::int64_t call = calls / kPairCalls * kPairCalls; call < calls; ++call)
    if (arm_of(seed, call) == Arm::library) ++count;
  return count;
}

}  // namespace rondo::interpose::ab
