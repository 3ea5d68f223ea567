// How long the longest block of the last exchanges was, as far as they told: what `auto` goes by
// where only each pair knows its length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::exchange {

class Longest {
 public:
  /// What this rank tells the others on a path where it knows its longest block too late for that
  /// exchange: that of the one before, in 32 bits.
  std::uint32_t to_tell() const { return to_tell_; }
  void sent(std::size_t bytes) {
    to_tell_ = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kUnknown - 1));
  }

  /// The exchange before went by a path that tells nothing, for all ranks.
  void forget() { to_tell_ = kUnknown; }

  /// What was told together: all ranks heard the same.
  void hear(std::size_t bytes) {
    if (bytes != kUnknown) heard_[++number_ % heard_.size()] = bytes;
  }

  /// The least of what was heard last: where long exchanges come between short ones, those paths
  /// are for it that serve both and go on to tell.
  std::size_t bytes() const { return *std::ranges::min_element(heard_); }

  /// Of the last one that was heard of.
  std::size_t latest_bytes() const { return heard_[number_ % heard_.size()]; }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  std::uint32_t to_tell_ = kUnknown;
  std::size_t number_ = 0;
  std::array<std::size_t, 4> heard_{};
};

}  // namespace rondo::exchange
