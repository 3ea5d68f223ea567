// Random lengths of blocks. Each is a pure function of the seed and of what it belongs to. rondo-bench draws from the
// same distributions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/mix.hpp"

namespace rondo::simulate {

/// As users write it: "constant", "uniform", "window:R", "normal", "power:BASE", "sparse:K", "mix:FRACTION=SHARE,...".
struct Distribution {
  enum class Kind { constant, uniform, window, normal, power, sparse, mix };

  /// Of a mix: that share of the blocks, and all before it, have at most `fraction` of S.
  struct Part {
    double fraction;
    double up_to_share;
  };

  Kind kind = Kind::constant;
  double value = 0;           ///< window: R in percent; power: BASE; sparse: K
  std::vector<Part> parts{};  ///< mix: in ascending order

  /// For messages: what stands before the text, and what else the reader may write.
  struct Wording {
    std::string_view before = "distribution ";
    std::string_view others{};
  };

  /// Throws Error(argument) that says what is wrong and lists the distributions.
  static Distribution parse(std::string_view text, const Wording& wording);
  static Distribution parse(std::string_view text) { return parse(text, Wording()); }
  [[noreturn]] static void refuse(std::string_view text, std::string_view reason,
                                  const Wording& wording);
};

/// Moments of a length X with a limit.
struct Moments {
  double mean = 0;         ///< of X if X <= limit, else of 0
  double deviation = 0;    ///< likewise
  double largest = 0;      ///< the largest X that is at most the limit
  double above_share = 0;  ///< the probability of X > limit
  double above_mean = 0;   ///< the mean of those X
};

/// 64 random bits for a pair of numbers.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t number) {
  return mix(key * 3 + number);
}

/// A number in (0, 1).
constexpr double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
}

/// The quantile `u` of the standard normal distribution, 0 < u < 1.
double normal_quantile(double u);

/// Block lengths of 0..S bytes. A distribution is its quantile function.
///
/// constant    S
/// uniform     0..S, all equally likely
/// window:R    (100-R)% of S .. S, all equally likely (HPDC 2022, section 4.2)
/// normal      mean S/2, deviation S/6, between 0 and S (section 4.3)
/// power:BASE  S * BASE^k for k = 0..P-1, all k equally likely. The paper gives the bases 0.99 and 0.999, but no
///             formula. With 0.99 this one sends 204 thousand bytes per rank at S = 2048, P = 4096; section 4.3
///             reports 203,928.
/// sparse:K    S with probability K / P, else 0
/// mix:F=W,... F S with probability W over the sum of all W, for each F and W; F is 0..1, as recorded programs have it
class Lengths {
 public:
  Lengths(const Distribution& distribution, double largest_bytes, int ranks);

  bool vary() const { return distribution_.kind != Distribution::Kind::constant; }
  double largest() const { return largest_; }
  double least() const { return least_; }

  /// The length that a block does not exceed with probability u, 0 < u < 1.
  double quantile(double u) const {
    using Kind = Distribution::Kind;
    if (distribution_.kind == Kind::uniform || distribution_.kind == Kind::window)
      return least_ + static_cast<double>(static_cast<std::int64_t>(u * (largest_ - least_ + 1)));
    return other_quantile(u);
  }

  Moments moments(double limit) const;

 private:
  /// The quantile of distributions whose lengths are not equally likely.
  double other_quantile(double u) const;

  /// The probability that a block of Kind::sparse has bytes.
  double share_of_blocks() const;
  Moments sparse_moments(double limit) const;
  Moments mix_moments(double limit) const;

  /// The probability of X <= limit.
  double share_up_to(double limit) const;

  Distribution distribution_;
  double largest_;
  double least_;
  double ranks_;
};

/// Sums of lengths of blocks. Blocks above the limit count as empty.
class Sums {
 public:
  Sums(const Lengths& lengths, double limit, std::uint64_t seed);

  const Moments& moments() const { return moments_; }

  /// The key of draws for a round, or for something else that is not a rank.
  std::uint64_t key(std::uint64_t round) const { return mix(mix(seed_ + kGoldenGamma) + round); }

  /// The bytes of `blocks` blocks that rank `number` sends. Few blocks are drawn one by one. For many the
  /// sum is drawn, from its mean and deviation.
  double draw(double blocks, std::uint64_t key, std::uint64_t number) const {
    if (blocks == 1) return draw_one(random_bits(key, number));
    return draw_sum(blocks, random_bits(key, number));
  }

  /// One block, or 0 if it is above the limit.
  double draw_one(std::uint64_t bits) const {
    const double length = lengths_.quantile(unit(bits));
    return length <= limit_ ? length : 0;
  }

  /// The block, also one above the limit, that `source` sends to the rank `distance` positions higher.
  double single(int source, int distance) const {
    constexpr std::uint64_t kSingleDraw = std::uint64_t{1} << 40;
    return lengths_.quantile(
        unit(random_bits(key(kSingleDraw + static_cast<std::uint64_t>(distance) - 1),
                         static_cast<std::uint64_t>(source))));
  }

 private:
  double draw_sum(double blocks, std::uint64_t bits) const;

  const Lengths& lengths_;
  double limit_;
  std::uint64_t seed_;
  Moments moments_;
};

}  // namespace rondo::simulate
