// How long the longest block of the latest exchanges was, as far as they reported it. `auto` uses this
// where only the two ranks of a pair know its length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::exchange {

class Longest {
 public:
  /// What this rank reports where it learns its longest block too late for the same exchange: that of
  /// the exchange before, in 32 bits.
  std::uint32_t own() const { return own_; }
  void sent(std::size_t bytes) {
    own_ = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kUnknown - 1));
  }

  /// The last exchange reported nothing, on any rank.
  void forget() { own_ = kUnknown; }

  /// The longest block that any rank has reported; the same on all ranks.
  void record(std::size_t bytes) {
    if (bytes != kUnknown) latest_[++number_ % latest_.size()] = bytes;
  }

  /// The least of the latest reports. Where long exchanges alternate with short ones, this selects
  /// an algorithm that is good for the short ones, and those report.
  std::size_t bytes() const { return *std::ranges::min_element(latest_); }

  /// Of the last report.
  std::size_t latest_bytes() const { return latest_[number_ % latest_.size()]; }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  std::uint32_t own_ = kUnknown;
  std::size_t number_ = 0;
  std::array<std::size_t, 4> latest_{};
};

}  // namespace rondo::exchange
