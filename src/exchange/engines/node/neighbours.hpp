// The blocks between the ranks of one node, which go through its shared memory. Used on one node
// and on several.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/status.hpp"
#include "exchange/context.hpp"
#include "exchange/mismatch.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange::engines {

/// Returns the length of the longest block that goes through shared memory in this call.
inline std::size_t short_limit(const Call& call) {
  return std::min(call.choice.threshold(), call.context.node()->limit());
}

/// One rank's exchange with its neighbours. A block travels in the cell if it fits, in the slot if
/// it has at most `limit` bytes, and otherwise from rank to rank with `tag`.
class Neighbours {
 public:
  Neighbours(Call& call, const Blocks& blocks, std::size_t limit, int tag)
      : context_(call.context),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(limit),
        tag_(tag),
        needs_longest_(call.needs_longest()) {}

  /// Sends every neighbour its cell, the nearest first. Slot bytes from `used` on are free.
  /// `longest_elsewhere` is the length of the longest block to other nodes.
  void send(std::size_t used, std::size_t longest_elsewhere) {
    std::size_t longest = std::max(blocks_.send_block(context_.rank).bytes, longest_elsewhere);
    for_each([&](int local, int rank) {
      const ConstBlock block = blocks_.send_block(rank);
      longest = std::max(longest, block.bytes);
      used += write(node_.cell_to(local), block, used);
      node_.send_cell(local);
    });
    if (needs_longest_) context_.longest.set_own(longest);
  }

  /// Replaces send() on a rank that cannot take part.
  void send_failure(const Error& failure) {
    for_each([&](int local, int) {
      node::Cell& cell = node_.cell_to(local);
      cell.bytes = kFailedRank;
      cell.offset = static_cast<std::uint32_t>(mpi_class_of(failure));
      node_.send_cell(local);
    });
  }

  /// Waits for every neighbour, and calls visit(local, rank) for each that arrives without a
  /// failure. Adds their reports and failures to `status`.
  template <class Visit>
  void wait_for_all(Status& status, Visit&& visit) {
    status.merge({.largest = reported_});
    for_each([&](int local, int rank) {
      const node::Cell& cell = node_.wait_for_cell(local);
      if (cell.bytes != kFailedRank) {
        status.merge({.largest = reported_by(cell)});
        return visit(local, rank);
      }
      status.merge({.failed_rank = rank, .failed_class = static_cast<std::int32_t>(cell.offset)});
    });
  }

  /// Exchanges blocks with a neighbour that has arrived: copies a short block and posts the
  /// messages of long ones. The neighbour does the same, whichever other rank fails, so sends match
  /// receives. context.messages.wait() must follow.
  void exchange_with(int local, int rank) {
    const node::Cell& cell = node_.cell_from(local);
    if (cell.bytes == kLongBlock)
      receive_long(cell, rank);
    else
      copy_short(cell, local, rank);
    const ConstBlock block = blocks_.send_block(rank);
    if (block.bytes <= limit_) return;
    context_.messages.send(block.data, block.bytes, rank, tag_);
    node_.expect_messages();
  }

  void copy_own() {
    const ConstBlock own = blocks_.send_block(context_.rank);
    copy_bytes(blocks_.receive_block(context_.rank).data, own.data, own.bytes);
  }

  Mismatch& mismatch() { return mismatch_; }

 private:
  /// Where a cell without a block has the reported length: behind the length of the block.
  static constexpr std::size_t kReportAt = sizeof(std::uint64_t);

  static std::uint32_t reported_by(const node::Cell& cell) {
    std::uint32_t bytes = cell.offset;
    if (cell.bytes > node::Cell::kInlineBytes)
      std::memcpy(&bytes, cell.data.data() + kReportAt, sizeof bytes);
    return bytes;
  }

  void copy_short(const node::Cell& cell, int local, int rank) {
    const Block block = blocks_.receive_block(rank);
    mismatch_.compare(rank, cell.bytes, block.bytes);
    const std::byte* const data =
        cell.bytes <= node::Cell::kInlineBytes ? cell.data.data() : node_.slot(local) + cell.offset;
    copy_bytes(block.data, data, std::min<std::size_t>(cell.bytes, block.bytes));
  }

  /// If this rank expects another length, the whole block is received into memory that nobody
  /// reads.
  void receive_long(const node::Cell& cell, int rank) {
    const Block block = blocks_.receive_block(rank);
    std::size_t bytes = 0;
    std::memcpy(&bytes, cell.data.data(), sizeof bytes);
    mismatch_.compare(rank, bytes, block.bytes);
    context_.messages.receive(mismatch_.room_for(bytes, block), bytes, rank, tag_);
    node_.expect_messages();
  }

  /// Calls visit(local, rank) for every neighbour, beginning with the next one up.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const schedule::NodeMap& map = context_.nodes;
    const int node = map.node_of(context_.rank);
    for (int local = node_.self() + 1; local < node_.ranks(); ++local)
      visit(local, map.rank_of(node, local));
    for (int local = 0; local < node_.self(); ++local) visit(local, map.rank_of(node, local));
  }

  /// Writes a block to its cell or slot. Returns the bytes that it takes in the slot.
  std::size_t write(node::Cell& cell, const ConstBlock& block, std::size_t used) {
    if (block.bytes > limit_) {
      cell.bytes = kLongBlock;
      std::memcpy(cell.data.data(), &block.bytes, sizeof block.bytes);
      std::memcpy(cell.data.data() + kReportAt, &reported_, sizeof reported_);
      return 0;
    }
    cell.bytes = static_cast<std::uint32_t>(block.bytes);
    if (block.bytes <= node::Cell::kInlineBytes) {
      copy_bytes(cell.data.data(), block.data, block.bytes);
      cell.offset = reported_;  // in place of an offset
      return 0;
    }
    std::memcpy(cell.data.data() + kReportAt, &reported_, sizeof reported_);
    cell.offset = static_cast<std::uint32_t>(used);
    copy_bytes(node_.slot(node_.self()) + used, block.data, block.bytes);
    return block.bytes;
  }

  Context& context_;
  Node& node_;
  const Blocks& blocks_;
  std::size_t limit_;
  int tag_;
  bool needs_longest_;
  std::uint32_t reported_ = context_.longest.own();  ///< this rank's report
  Mismatch mismatch_;
};

}  // namespace rondo::exchange::engines
