// What an exchange knows from earlier ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::exchange {

/// What a rank of the node contributes to a message: where it begins in its slot.
struct NodeRun {
  std::uint32_t begin;
  std::uint32_t bytes;
};

/// What a plan remembers: the others' sizes in the first execution that succeeded. Every field belongs to one
/// step of the algorithms, which fills it from its beginning while the plan learns and only reads it
/// afterwards. So an execution that leaves steps out, because a rank has failed, does no harm.
struct Learned {
  bool is_complete = false;

  std::size_t largest = 0;  ///< S, where an algorithm begins by agreeing on it
  std::vector<std::size_t>
      arriving;  ///< lengths of the blocks that arrive in Bruck rounds, in order

  // Between nodes: of the messages that this rank sends and of those that it receives, in order, and
  // where the blocks for this rank begin in those that its node receives, by position.
  std::vector<NodeRun> node_runs;
  std::vector<std::uint32_t> node_expected;
  std::vector<std::uint32_t> landing_offsets;
};

/// How long the longest block of the latest exchanges was, as far as they reported it. `auto` goes by
/// this where only the two ranks of a pair know its length.
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
