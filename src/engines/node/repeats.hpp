// Blocks that are the same memory for several ranks of one other node, as those of a rank whose number
// several ranks need. Such a block is written once to the message, and its readers copy it from there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/context.hpp"
#include "engines/pattern.hpp"

namespace rondo::engines {

/// Which blocks that this rank sends to other nodes are repeated, in the order of NodePattern::leaving. A
/// call looks only at a few blocks before each; a plan looks at all of the group, once.
class Repeats {
 public:
  /// A block of more than `most` bytes goes from rank to rank, so it is never written once for several.
  Repeats(Call& call, const NodePattern& pattern, const Blocks& blocks, std::size_t most)
      : blocks_(blocks), most_(most) {
    std::size_t total = 0;
    for (const NodePattern::Group& group : pattern.leaving) total += group.ranks.size();
    if (call.learned != nullptr) {
      std::vector<std::uint32_t>& kept = call.learned->repeats;
      const bool is_known = call.sizes_known() && kept.size() == total;
      if (!is_known) kept.resize(total);
      list_ = kept;
      if (is_known) return;
    } else {
      list_ = call.context.scratch.array<std::uint32_t>(Scratch::kNodeRepeats, total);
    }
    find(pattern, call.learned != nullptr ? total : kLooks);
  }

  /// What is known of one block.
  class Entry {
   public:
    Entry(std::uint32_t bits, std::size_t number)
        : bits_(bits), number_(static_cast<std::uint32_t>(number)) {}

    /// The number, in its group, of the first block that is the same memory. It may be this one.
    std::uint32_t first() const { return bits_ & ~kIsShared; }
    bool is_repeated() const { return first() != number_; }
    /// Whether it is written once for several ranks.
    bool is_shared() const { return bits_ != number_; }

   private:
    std::uint32_t bits_;
    std::uint32_t number_;
  };

  /// Of block `at` of the list, which is the block `number` of its group.
  Entry entry(std::size_t at, std::size_t number) const { return {list_[at], number}; }

 private:
  static constexpr std::size_t kLooks = 4;
  static constexpr std::uint32_t kIsShared =
      1U << 31;  ///< added to the number of the first of several

  void find(const NodePattern& pattern, std::size_t looks) {
    std::size_t begin = 0;
    for (const NodePattern::Group& group : pattern.leaving) {
      for (std::size_t number = 0; number < group.ranks.size(); ++number)
        list_[begin + number] = find_first(group, list_.subspan(begin), number, looks);
      begin += group.ranks.size();
    }
  }

  std::uint32_t find_first(const NodePattern::Group& group, std::span<std::uint32_t> list,
                           std::size_t number, std::size_t looks) const {
    const ConstBlock block = blocks_.send_block(group.ranks[number]);
    if (block.bytes != 0 && block.bytes <= most_)
      for (std::size_t look = 1; look <= std::min(looks, number); ++look) {
        const std::size_t other = number - look;
        const ConstBlock before = blocks_.send_block(group.ranks[other]);
        if (before.data != block.data || before.bytes != block.bytes) continue;
        const std::uint32_t first = list[other] & ~kIsShared;
        list[first] |= kIsShared;
        return first;
      }
    return static_cast<std::uint32_t>(number);
  }

  const Blocks& blocks_;
  std::size_t most_;
  std::span<std::uint32_t> list_;
};

}  // namespace rondo::engines
