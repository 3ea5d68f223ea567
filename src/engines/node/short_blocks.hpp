// The common case on one node: no block is long, every rank takes part, and lengths agree or are not
// known. Nothing is kept for the other cases, since where blocks are short every instruction counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engines/node/cells.hpp"

namespace rondo::engines {

/// One rank's exchange on one node, none of whose blocks is long. A rank's local number is its rank.
class ShortBlocks {
 public:
  /// `report` is what this rank reports; see history.hpp.
  ShortBlocks(Node& node, const Blocks& blocks, std::uint32_t report)
      : node_(node), blocks_(blocks), report_(report) {}

  /// Sends every neighbour its block, the nearest first.
  [[gnu::always_inline]] void send() {
    longest_ = blocks_.send_block(node_.self()).bytes;
    std::size_t used = 0;
    for_each([&](int rank) {
      const ConstBlock block = blocks_.send_block(rank);
      longest_ = std::max(longest_, block.bytes);
      used += write_block(node_, node_.cell_to(rank), block, report_, used);
      node_.send_cell(rank);
      return true;
    });
  }

  /// Receives every neighbour's block, and this rank's own. Returns false if a neighbour has failed,
  /// has a long block, or sends another length than this rank expects. Some blocks have been received
  /// then, and may be received again.
  [[gnu::always_inline]] bool receive() {
    reported_ = report_;
    const bool is_common = for_each([&](int rank) {
      const segment::Cell& cell = node_.wait_for_cell(rank);
      const Block place = blocks_.receive_block(rank);
      if (cell.bytes != place.bytes) [[unlikely]]
        return false;
      reported_ = std::max(reported_, report_in(cell, place.bytes));
      copy_short(place.data, block_in(node_, cell, place.bytes, rank), place.bytes);
      return true;
    });
    if (!is_common) [[unlikely]]
      return false;
    copy_own_block(blocks_, node_.self());
    return true;
  }

  /// In a dynamic exchange, the first half of receive(): learns the length of every rank's block.
  /// Returns false if a neighbour has failed or has a long block.
  [[gnu::always_inline]] bool learn(std::span<std::uint64_t> lengths) {
    reported_ = report_;
    lengths[static_cast<std::size_t>(node_.self())] = blocks_.send_block(node_.self()).bytes;
    return for_each([&](int rank) {
      const segment::Cell& cell = node_.wait_for_cell(rank);
      if (cell.bytes >= kElsewhere) [[unlikely]]
        return false;
      reported_ = std::max(reported_, report_in(cell, cell.bytes));
      lengths[static_cast<std::size_t>(rank)] = cell.bytes;
      return true;
    });
  }

  /// The second half: copies the blocks, which have places now.
  [[gnu::always_inline]] void take() {
    for_each([&](int rank) {
      const segment::Cell& cell = node_.cell_from(rank);
      copy_short(blocks_.receive_block(rank).data, block_in(node_, cell, cell.bytes, rank),
                 cell.bytes);
      return true;
    });
    copy_own_block(blocks_, node_.self());
  }

  /// The longest block that this rank sends, and the longest that any rank has reported.
  std::size_t longest() const { return longest_; }
  std::uint32_t reported() const { return reported_; }

 private:
  /// Calls visit(rank) for every neighbour, the nearest first, until one returns false. Returns
  /// whether none did.
  template <class Visit>
  [[gnu::always_inline]] bool for_each(Visit&& visit) const {
    for (const int rank : node_.others())
      if (!visit(rank)) return false;
    return true;
  }

  Node& node_;
  const Blocks& blocks_;
  std::uint32_t report_;
  std::uint32_t reported_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace rondo::engines
