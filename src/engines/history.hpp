// What an exchange knows from earlier exchanges.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::engines {

/// What a plan learns in its first successful execution: the other ranks' sizes. Every field
/// belongs to one step of the algorithms. While the plan learns, the step fills the field from its
/// beginning; afterwards it only reads it. An execution that skips steps because a rank has failed
/// therefore does no harm.
struct Learned {
  bool is_complete = false;

  std::size_t largest = 0;            ///< S, if the algorithm begins by agreeing on it
  std::vector<std::size_t> arriving;  ///< lengths of arriving blocks in Bruck rounds, in order

  // Between nodes: by position, where the blocks for this rank begin in the messages to its node.
  std::vector<std::uint32_t> landing_offsets;

  // Along edges: which blocks to another node are the same memory (engines/node/repeats.hpp).
  std::vector<std::uint32_t> repeats;
};

/// The lengths of the longest blocks in recent exchanges that reported them. `auto` uses them where
/// only the two ranks of a pair know the length of their block.
class Longest {
 public:
  /// What this rank reports if it learns its longest block too late for the same exchange: the
  /// longest block of the exchange before, in 32 bits.
  std::uint32_t own() const { return own_; }
  void set_own(std::size_t bytes) {
    own_ = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kUnknown - 1));
  }

  /// Notes that no rank reported a length in the last exchange.
  void forget() { own_ = kUnknown; }

  /// Records the length of the longest block that any rank has reported. It is the same on all
  /// ranks.
  void record(std::size_t bytes) {
    if (bytes != kUnknown) latest_[++number_ % latest_.size()] = bytes;
  }

  /// Returns the least of the recent reports. If long exchanges alternate with short ones, this
  /// selects an algorithm for short blocks, and such algorithms report lengths.
  std::size_t bytes() const { return *std::ranges::min_element(latest_); }

  /// Returns the last report.
  std::size_t latest_bytes() const { return latest_[number_ % latest_.size()]; }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  std::uint32_t own_ = kUnknown;
  std::size_t number_ = 0;
  std::array<std::size_t, 4> latest_{};
};

}  // namespace rondo::engines
