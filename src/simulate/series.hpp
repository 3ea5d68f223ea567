// Long series of steps that are alike, of which a sample is played.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simulate/lengths.hpp"

namespace rondo::simulate {

/// Steps are alike if these are equal, and the blocks about as many.
struct Alike {
  std::size_t rounds = 0;
  bool stays = false;  ///< some ranks send to their own node
  double blocks = 0;

  bool is(const Alike& other) const {
    constexpr double kAsMany = 0.01;
    return rounds == other.rounds && stays == other.stays &&
           std::abs(blocks - other.blocks) <= kAsMany * blocks;
  }
};

/// The first steps are played, and stretches of 128 steps in all of every doubling of their number. What is left out
/// between two stretches is drawn, so that stretches do not meet a period of the series always at the same place.
class Series {
 public:
  static constexpr std::size_t kSettled = 16;  ///< the last steps of a stretch

  explicit Series(std::uint64_t seed = 0) : seed_(seed) {}

  /// Whether clocks have met again, after steps that were left out. The steps from here to the end of the stretch stand
  /// for those that are left out.
  bool has_settled() const { return played_ == kStretch - kSettled; }

  /// A step has been played. Returns how many are left out after it.
  std::size_t play() {
    if (++number_ <= kFirst || ++played_ < kStretch) return 0;
    played_ = 0;
    const std::size_t most = 2 * kStretch * (std::bit_floor(number_) / kOfDoubling - 1);
    const auto left_out = static_cast<std::size_t>(random_bits(seed_, number_) % (most + 1));
    number_ += left_out;
    return left_out;
  }

 private:
  static constexpr std::size_t kStretch = 32;
  static constexpr std::size_t kOfDoubling = 128;
  static constexpr std::size_t kFirst = 2 * kOfDoubling;

  std::uint64_t seed_;
  std::size_t number_ = 0;
  std::size_t played_ = 0;  ///< of the stretch
};

}  // namespace rondo::simulate
