// How long blocks are, drawn at random as a pure function of a seed and what is drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/mix.hpp"

namespace rondo::simulate {

/// The words of rondo-bench: "constant", "uniform", "window:R", "normal", "power:BASE", "sparse:K".
struct Distribution {
  enum class Kind { constant, uniform, window, normal, power, sparse };

  Kind kind = Kind::constant;
  double value = 0;  ///< window: R in percent; power: BASE; sparse: K

  /// Throws Error(argument) that says what is wrong and what there is.
  static Distribution parse(std::string_view text);
};

/// Of a length X and a limit.
struct Moments {
  double mean = 0;         ///< of X where X <= limit, else of 0
  double deviation = 0;    ///< of the same
  double largest = 0;      ///< X that is no longer than the limit
  double above_share = 0;  ///< how often X > limit
  double above_mean = 0;   ///< of those
};

/// 64 random bits that belong to both numbers.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t number) {
  return mix(key * 3 + number);
}

/// In (0, 1).
constexpr double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
}

/// The length below which a share `u` of a standard normal distribution lies, 0 < u < 1.
double normal_quantile(double u);

/// Block lengths of 0..S bytes. A distribution is its quantile function.
///
/// constant    S
/// uniform     0..S, all alike
/// window:R    (100-R)% of S .. S, all alike
/// normal      mean S/2, deviation S/6, between 0 and S
/// power:BASE  S * BASE^k for k = 0..P-1, all k alike
/// sparse:K    S with probability K / P, else 0
class Lengths {
 public:
  Lengths(const Distribution& distribution, double largest_bytes, int ranks);

  bool vary() const { return distribution_.kind != Distribution::Kind::constant; }
  double largest() const { return largest_; }

  /// The length that is not exceeded with probability u, 0 < u < 1.
  double quantile(double u) const {
    if (distribution_.kind == Distribution::Kind::uniform)
      return static_cast<double>(static_cast<std::int64_t>(u * (largest_ + 1)));
    return other_quantile(u);
  }

  Moments moments(double limit) const;

 private:
  /// Where lengths are not uniform.
  double other_quantile(double u) const;

  /// Of Kind::sparse: how often a block has bytes.
  double share_of_blocks() const;
  Moments sparse_moments(double limit) const;

  /// How often X <= limit.
  double share_up_to(double limit) const;

  Distribution distribution_;
  double largest_;
  double ranks_;
};

/// Sums of lengths of blocks, those above a limit as empty.
class Sums {
 public:
  Sums(const Lengths& lengths, double limit, std::uint64_t seed);

  const Moments& moments() const { return moments_; }

  /// For draws that belong to a round, or to what else is not a rank.
  std::uint64_t key(std::uint64_t round) const { return mix(mix(seed_ + kGoldenGamma) + round); }

  /// The bytes of `blocks` blocks that rank `number` sends. Of few blocks each is drawn; of many
  /// the sum is, by its mean and deviation.
  double draw(double blocks, std::uint64_t key, std::uint64_t number) const {
    if (blocks == 1) return draw_one(random_bits(key, number));
    return draw_sum(blocks, random_bits(key, number));
  }

  /// One block, 0 where it is above the limit.
  double draw_one(std::uint64_t bits) const {
    const double length = lengths_.quantile(unit(bits));
    return length <= limit_ ? length : 0;
  }

  /// One block that is above the limit, or 0.
  double draw_above(std::uint64_t bits) const {
    const double length = lengths_.quantile(unit(bits));
    return length > limit_ ? length : 0;
  }

 private:
  double draw_sum(double blocks, std::uint64_t bits) const;

  const Lengths& lengths_;
  double limit_;
  std::uint64_t seed_;
  Moments moments_;
};

}  // namespace rondo::simulate
