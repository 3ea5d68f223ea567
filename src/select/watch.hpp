// Whether the incumbent still takes as long as it did, from reviews of 8 of its calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::select {

class Watch {
 public:
  static constexpr std::size_t kReviewed = 8;

  /// How many times of a review must agree. If each is as likely to deviate as not to, noise has one review in 7
  /// deviate. If it is one in four, as with a spread of 30 %, one in 240.
  static constexpr std::size_t kMany = 6;

  /// The incumbent's time: what another measurement says, until the first review.
  std::int64_t time() const { return time_; }
  void begin(std::int64_t time);

  /// Takes a review and its median. Returns whether two reviews in a row deviate to the same side: most of their times
  /// differ by more than a fifth from the mean of the first reviews. Later reviews do not move that, so a slow change
  /// is noticed too. Then the watch begins anew.
  bool is_change(std::span<const std::int64_t> times, std::int64_t median);

  /// Calls from one reviewed call to the next, if an agreement costs so many thousandths of a call: close in the first
  /// review and after one that deviates, else so far apart that agreements cost at most 1/256 of the calls, or as far
  /// as possible.
  std::uint64_t spacing(std::int64_t agreement) const;

 private:
  int deviation(std::span<const std::int64_t> times) const;

  std::int64_t time_ = 0;
  int reviews_ = 0;    ///< that made the time
  int suspicion_ = 0;  ///< of the last review: 1 slower, -1 faster
};

/// How many of the times are longer than this share of `other`.
std::size_t count_longer(std::span<const std::int64_t> times, std::int64_t other,
                         std::int64_t thousandths);

}  // namespace rondo::select
