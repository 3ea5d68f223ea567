// The blocks between the ranks of one node, through its shared memory: for alltoall and alltoallv,
// on one node and on several.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/news.hpp"
#include "exchange/context.hpp"
#include "exchange/mismatch.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

/// A rank's side of one exchange. Blocks travel in the cell where they fit, in the slot up to
/// `limit` bytes, and longer ones from rank to rank under `tag`.
template <class Blocks>
class Neighbours {
 public:
  Neighbours(Call& call, const Blocks& blocks, std::size_t limit, int tag)
      : context_(call.context),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(limit),
        tag_(tag) {}

  /// Send every neighbour its cell, the nearest first. Slot bytes from `used` on are free.
  void send(std::size_t used) {
    for_each([&](int local, int rank) {
      used += write(node_.cell_to(local), blocks_.send_block(rank), used);
      node_.send_cell(local);
    });
  }

  /// In place of send(), where this rank cannot take part.
  void send_failure(const Error& failure) {
    for_each([&](int local, int) {
      node::Cell& cell = node_.cell_to(local);
      cell.bytes = kFailedRank;
      cell.offset = static_cast<std::uint32_t>(mpi_class_of(failure));
      node_.send_cell(local);
    });
  }

  /// Wait for every neighbour, and call visit(local, rank) when it has arrived, unless it failed;
  /// then `news` hears of that.
  template <class Visit>
  void wait_for_all(News& news, Visit&& visit) {
    for_each([&](int local, int rank) {
      const node::Cell& cell = node_.wait_for_cell(local);
      if (cell.bytes != kFailedRank) return visit(local, rank);
      news.merge({.failed_rank = rank, .failed_class = static_cast<std::int32_t>(cell.offset)});
    });
  }

  /// Exchange blocks with a neighbour that has arrived: copy its own to its place, and post what is
  /// long. The neighbour does the same whoever else fails, so the messages meet;
  /// context.messages.wait() must follow.
  void meet(int local, int rank) {
    const node::Cell& cell = node_.cell_from(local);
    if (cell.bytes == kLongBlock)
      receive_long(cell, rank);
    else
      take(cell, local, rank);
    const ConstBlock block = blocks_.send_block(rank);
    if (block.bytes <= limit_) return;
    context_.messages.send(block.data, block.bytes, rank, tag_);
    node_.expect_messages();
  }

  void take_own() {
    const ConstBlock own = blocks_.send_block(context_.rank);
    copy_bytes(blocks_.receive_block(context_.rank).data, own.data, own.bytes);
  }

  const Mismatch& mismatch() const { return mismatch_; }

 private:
  void take(const node::Cell& cell, int local, int rank) {
    const Block block = blocks_.receive_block(rank);
    mismatch_.compare(rank, cell.bytes, block.bytes);
    const std::byte* const data =
        cell.bytes <= node::Cell::kInlineBytes ? cell.data.data() : node_.slot(local) + cell.offset;
    copy_bytes(block.data, data, std::min<std::size_t>(cell.bytes, block.bytes));
  }

  /// If this rank expects another length, all is received, but elsewhere.
  void receive_long(const node::Cell& cell, int rank) {
    const Block block = blocks_.receive_block(rank);
    std::size_t bytes = 0;
    std::memcpy(&bytes, cell.data.data(), sizeof bytes);
    mismatch_.compare(rank, bytes, block.bytes);
    std::byte* const to =
        bytes == block.bytes ? block.data : unexpected_.emplace_back(bytes).data();
    context_.messages.receive(to, bytes, rank, tag_);
    node_.expect_messages();
  }

  /// Call visit(local, rank) for every neighbour, the next one up first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const schedule::NodeMap& map = context_.nodes;
    const int node = map.node_of(context_.rank);
    for (int local = node_.self() + 1; local < node_.ranks(); ++local)
      visit(local, map.rank_of(node, local));
    for (int local = 0; local < node_.self(); ++local) visit(local, map.rank_of(node, local));
  }

  /// Returns the bytes that the block takes in the slot.
  std::size_t write(node::Cell& cell, const ConstBlock& block, std::size_t used) {
    if (block.bytes > limit_) {
      cell.bytes = kLongBlock;
      std::memcpy(cell.data.data(), &block.bytes, sizeof block.bytes);
      return 0;
    }
    cell.bytes = static_cast<std::uint32_t>(block.bytes);
    if (block.bytes <= node::Cell::kInlineBytes) {
      copy_bytes(cell.data.data(), block.data, block.bytes);
      return 0;
    }
    cell.offset = static_cast<std::uint32_t>(used);
    copy_bytes(node_.slot(node_.self()) + used, block.data, block.bytes);
    return block.bytes;
  }

  Context& context_;
  Node& node_;
  const Blocks& blocks_;
  std::size_t limit_;
  int tag_;
  Mismatch mismatch_;
  std::vector<std::vector<std::byte>> unexpected_;  ///< long blocks of unexpected lengths
};

}  // namespace rondo::exchange
