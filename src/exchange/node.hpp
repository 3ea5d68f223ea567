// The shared memory of this rank's node, as the exchanges of one communicator use it.
//
// Memory, with q ranks on the node, P in all, N nodes, and
//   limit = the bytes of the longest block that goes through the segment, so that any legal call
//           fits: the least of RONDO_SLOT_BYTES / P, 64 KiB, and 4 GiB / (P x ranks of the largest
//           node), rounded down to a multiple of 16,
//   slot  = P x limit, what a rank can publish at once:
//   64 + 192 q + 128 q^2 + 2 q slot on one node; on several also 2 q (8 P + 20) + 64 P + 4 q P
//   + P (q limit + 64), the last of which is another slot for each rank. Every part is rounded up to
//   cache lines or pages, and nothing grows afterwards.
//
// A rank reserves its share of that, a q-th, and RONDO_MEMORY bytes at most on all communicators
// together: a communicator halves its slots until its share is a quarter of what is left.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "node/arrival.hpp"
#include "node/segment.hpp"
#include "node/wait.hpp"
#include "registry/handling.hpp"
#include "schedule/node_map.hpp"

namespace rondo::exchange {

/// In place of the bytes in a cell.
enum CellMark : std::uint32_t {
  kLongBlock = UINT32_MAX,       ///< the block goes from rank to rank; its length is in the cell
  kFailedRank = UINT32_MAX - 1,  ///< its rank cannot take part; MPI's error class is the offset
};

/// A block that goes from rank to rank to another node, as its node tells that node. It stands in
/// place of the block's bytes, of which there is room for kShortestLimit at least.
struct LongBlock {
  std::uint32_t source;  ///< positions
  std::uint32_t destination;
  std::uint64_t bytes;
};

/// In front of a rank's table.
struct RowHead {
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  std::uint64_t block_bytes;  ///< what `auto` chose by, of alltoall; or kUnknown
  std::uint32_t long_blocks;
};

/// Offsets of the parts of a node's segment.
struct NodeLayout {
  static constexpr std::size_t kLongestBlock = registry::kLongestSharedBlock;
  static constexpr std::size_t kShortestLimit = sizeof(LongBlock);

  NodeLayout(const schedule::NodeMap& map, int node, std::size_t slot_bytes);

  std::size_t limit;    ///< the longest block, in bytes
  std::size_t slot;     ///< P x limit
  std::size_t row;      ///< bytes of a rank's table, of one parity
  std::size_t cores;    ///< that the ranks may use, of each
  std::size_t cells;    ///< between the ranks of the node, two for each pair
  std::size_t landed;   ///< flags of messages from other nodes, one for each rank
  std::size_t offsets;  ///< of blocks in messages from other nodes, P x q
  std::size_t areas;    ///< of the ranks: two rows, two slots
  std::size_t area;     ///< bytes of one
  std::size_t landing;  ///< of messages from other nodes
  std::size_t region;   ///< bytes in it for the blocks of one rank of another node
  std::size_t end;
};

class Node {
 public:
  /// Bounds, the same on all ranks.
  struct Memory {
    std::size_t slot_bytes;   ///< what a rank publishes at once
    std::size_t total_bytes;  ///< what a rank reserves, on all communicators
  };

  /// Whether this library was built with shared memory (RONDO_NODE).
  static bool is_built();

  /// Collective over `comm`. Slots are shorter where ranks have little memory left. Where some rank
  /// cannot have any, null on all ranks, and `why` says what was wrong on one of them.
  static std::unique_ptr<Node> make(MPI_Comm comm, const schedule::NodeMap& map,
                                    const Memory& memory, std::string& why);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  int ranks() const { return ranks_; }
  int self() const { return self_; }

  /// Blocks of at most this many bytes can go through the segment.
  std::size_t limit() const { return layout_.limit; }

  /// Begin an exchange; this rank's cells, rows and slot may be written.
  void begin() {
    parity_ = arrival_.begin();
    has_messages_ = false;
  }

  /// This rank has messages under way from now on: waiting helps them on.
  void expect_messages() { has_messages_ = true; }

  /// The cell to a rank of this node, to be written and then sent. Every exchange must send one to
  /// every other rank, ...
  node::Cell& cell_to(int local) const { return arrival_.to(local); }
  void send_cell(int local) const { arrival_.send(local); }

  /// ... and wait for one from every other rank; after that, what that rank wrote may be read.
  const node::Cell& wait_for_cell(int local) {
    return arrival_.wait_for(local, [&] { pause(); });
  }
  const node::Cell& cell_from(int local) const { return arrival_.from(local); }

  /// What rank `local` of this node tells those that carry for it: where its blocks begin in its
  /// slot, by position and one past the last, and what it expects from every position.
  RowHead& row_of(int local) const {
    return *reinterpret_cast<RowHead*>(area(local) + parity_ * layout_.row);
  }
  std::uint32_t* offsets_of(int local) const {
    return reinterpret_cast<std::uint32_t*>(&row_of(local) + 1);
  }
  std::uint32_t* expected_by(int local) const { return offsets_of(local) + all_ranks_ + 1; }
  std::byte* slot(int local) const {
    return area(local) + 2 * layout_.row + parity_ * layout_.slot;
  }

  /// The end of the list of rank `local`'s long blocks to other nodes, which grows down from the end
  /// of its slot: the last to the lowest position. The blocks themselves leave it room.
  LongBlock* end_of_long_blocks(int local) const {
    return reinterpret_cast<LongBlock*>(slot(local) + layout_.slot);
  }

  /// Where a message lands whose first blocks are of the rank at `position`, on another node: a
  /// header, then the blocks of `share` ranks there.
  std::byte* landing(int position) const {
    return segment_.at(layout_.landing + index(position) * layout_.region);
  }
  std::size_t landing_bytes(int share) const { return index(share) * layout_.region; }

  /// Say that the message at landing(position) is there, to all ranks of the node.
  void land(int position) {
    landed(position).epoch.store(arrival_.epoch(), std::memory_order_release);
  }
  void wait_for_landing(int position);

  /// Where in its message the block from `position` to each rank of this node begins.
  std::uint32_t* landing_offsets(int position) const {
    return reinterpret_cast<std::uint32_t*>(segment_.at(layout_.offsets)) +
           index(position) * index(ranks_);
  }

 private:
  Node(MPI_Comm comm, const schedule::NodeMap& map, const NodeLayout& layout,
       node::Segment segment);

  struct alignas(64) Landed {
    std::atomic<std::uint64_t> epoch{0};
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::byte* area(int local) const {
    return segment_.at(layout_.areas + index(local) * layout_.area);
  }
  Landed& landed(int position) const {
    return reinterpret_cast<Landed*>(segment_.at(layout_.landed))[position];
  }
  void pause();

  MPI_Comm comm_;
  int ranks_;
  int all_ranks_;
  int self_;
  NodeLayout layout_;
  std::size_t parity_ = 0;
  bool has_messages_ = false;
  node::Segment segment_;
  node::Arrival arrival_;
  node::Waiter waiter_;
};

}  // namespace rondo::exchange
