// The shared memory of this rank's node, as the exchanges of one communicator or group use it. No MPI.
//
// A rank of q on the node reserves its share, 1/q of the segment, and at most RONDO_MEMORY bytes on all
// communicators together. A communicator halves its slots until the share is at most a quarter of
// what is left.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "engines/node/node_layout.hpp"
#include "schedule/node_map.hpp"
#include "segment/arrival.hpp"
#include "segment/receipts.hpp"
#include "segment/segment.hpp"
#include "segment/topology.hpp"
#include "segment/wait.hpp"
#include "segment/ways.hpp"
#include "transport/agreement.hpp"

namespace rondo::engines {

/// Special values of the bytes in a cell.
enum CellMark : std::uint32_t {
  kLongBlock = UINT32_MAX,       ///< the block goes from rank to rank
  kFailedRank = UINT32_MAX - 1,  ///< the rank cannot take part; the offset is told_of() its error
  kHasLong = 1U << 31,           ///< added if the rank sends or expects a long block
  kElsewhere = kHasLong - 1,     ///< the cell says how the block goes, and how long it is
};

class Node {
 public:
  /// Whether long blocks are pulled, if the system allows that.
  enum class Pulls { never, where_faster, always };

  /// Bounds on memory, the same on all ranks.
  struct Memory {
    std::size_t slot_bytes;   ///< that a rank publishes at once
    std::size_t total_bytes;  ///< that a rank reserves on all communicators
    Pulls pulls = Pulls::where_faster;
  };

  /// Whether this library was built with shared memory (RONDO_NODE).
  static bool is_built();

  /// Local. Reads what make() needs to know of the machine. It does so otherwise, once in a process. Returns how many
  /// ranks the launcher has started on this node, 0 if that is not known.
  static int read_machine();

  /// Local. Whether so many ranks can be on this node with a core each, as far as the launcher tells.
  static bool has_core_for_each(int ranks);

  /// Collective over `tagged`. Slots are shorter if ranks have little memory left. If any rank cannot
  /// have shared memory, or memory for what this needs, returns null on all ranks, and `why` is the reason.
  static std::unique_ptr<Node> make(const transport::Tagged& tagged, const schedule::NodeMap& map,
                                    const Memory& memory, std::string& why);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  int ranks() const { return ranks_; }
  int self() const { return self_; }

  /// The other ranks of the node, in the order in which this rank serves them (segment/topology.hpp).
  std::span<const int> others() const { return others_; }

  /// Blocks of at most this many bytes can go through the segment.
  std::size_t limit() const { return layout_.limit; }

  /// Blocks between ranks of the node of at most this many bytes should do so.
  std::size_t limit_inside() const { return limit_inside_; }

  /// Begins an exchange. This rank's cells, table and slot may then be written.
  void begin() {
    parity_ = arrival_.begin();
    begin_wait();
    has_messages_ = false;
  }

  /// From now on this rank has messages in flight, and waiting must let the transport progress them.
  void expect_messages() { has_messages_ = true; }

  /// The cell to a rank of this node. It is written first and then sent. Every exchange must send a
  /// cell to every other rank and wait for a cell from every other rank.
  segment::Cell& cell_to(int local) const { return arrival_.to(local); }
  void send_cell(int local) const { arrival_.send(local); }

  /// Waits for the cell from a rank of this node. Afterwards what that rank wrote may be read. While
  /// it waits, it calls work() as long as that returns true.
  template <class Work>
  const segment::Cell& wait_for_cell(int local, Work&& work) {
    return arrival_.wait_for(local, [&] { work() ? begin_wait() : pause(); });
  }
  const segment::Cell& wait_for_cell(int local) {
    if (!arrival_.has_arrived(local)) pause_for_cell(local);
    return cell_from(local);
  }
  const segment::Cell& cell_from(int local) const { return arrival_.from(local); }

  /// Copies a piece of a block of `block_bytes` bytes from `address` in the memory of rank `local`. Returns
  /// false if that memory cannot be read, as some memory of devices.
  bool pull(int local, std::uint64_t address, const Block& place, std::size_t block_bytes);

  /// Whether long blocks are copied one way or the other, so that they need no message. It is the same on
  /// all ranks of the communicator.
  bool copies_long() const { return can_pull() || has_pipes(); }

  /// Chooses the ways of long blocks, whose receivers learn them from the cells.
  segment::Ways& ways() { return *ways_; }

  /// What long blocks to the nearest rank have cost, in lines to print; nothing if there were none.
  std::string figures_of_ways() const {
    return others_.empty() ? std::string() : ways_->figures(others_.front());
  }

  /// Where `bytes` bytes are that begin at a count, in the pipe of rank `source` for rank `reader`, one of which is
  /// this rank.
  std::byte* pipe(int source, int reader, std::uint64_t count, std::size_t bytes);

  /// How much of a pipe is used by what begins at a count: little at first, since its pages must be mapped, and more
  /// the more has gone through it.
  std::size_t pipe_bytes(std::uint64_t count) const {
    if (count >= whole_pipe_from_) [[likely]]
      return pipe_bytes_;
    return std::max(kFirstPipe, std::bit_floor(static_cast<std::size_t>(count) / kUses));
  }
  std::size_t piece_bytes() const { return layout_.piece; }

  /// How many pieces a rank copies before it looks for others. Ranks with a core each alternate, so that what one
  /// writes is still near when the other reads it. Ranks that share cores do all that they can in their time.
  int pieces_at_a_time() const { return pieces_at_a_time_; }

  /// What went through the pipes between this rank and rank `local`, over all exchanges; see
  /// engines/node/pieces.hpp. First where the next block to it begins, then what it has taken.
  std::uint64_t next_begin(int local) const {
    return round_up(counted_[index(local)], block_unit_);
  }
  void count(int local, std::uint64_t bytes) { counted_[index(local)] = bytes; }
  std::uint64_t taken_by(int local) const {
    return std::max(receipts_.taken_by(local), not_taken_[index(local)]);
  }
  /// Rank `local` takes nothing of what was announced, so all of it may be overwritten.
  void free_pipe(int local) { not_taken_[index(local)] = counted_[index(local)]; }

  /// A new wait begins, since something has come.
  void begin_wait() { waiter_.begin(); }

  /// Waits a moment for another rank of the node.
  void pause();

  /// What the ranks tell each other of the long blocks of this exchange, which has the number epoch().
  const segment::Receipts& receipts() const { return receipts_; }
  std::uint64_t epoch() const { return arrival_.epoch(); }

  /// The table that rank `local` of this node writes for the leaders: where its blocks to other nodes
  /// begin in its slot, by node or, along edges, by group of a NodePattern, and where the last end.
  std::uint32_t* offsets_of(int local) const {
    return reinterpret_cast<std::uint32_t*>(area(local) + parity_ * layout_.table);
  }
  /// Blocks in slots begin on cache lines of their own, if there is room for that: a line that one reader copies
  /// while the sender writes the next block would go to and fro.
  std::size_t taken_in_slot(std::size_t bytes) const {
    constexpr std::size_t kLine = alignof(segment::Cell);
    return layout_.limit % kLine == 0 ? round_up(bytes, kLine) : bytes;
  }

  std::byte* slot(int local) const { return segment_.at(layout_.slot_of(index(local), parity_)); }

  /// What rank `local` of this node sends to a node, by the number that the table has for it.
  ConstBlock run(int local, int number) const {
    const std::uint32_t* const offsets = offsets_of(local) + number;
    return {slot(local) + offsets[0], offsets[1] - offsets[0]};
  }

  /// Where a message from another node lands whose first blocks are from the rank at `position`. It
  /// has a header and then the blocks of `share` ranks.
  std::byte* landing(int position) const {
    return segment_.at(layout_.landing + index(position) * layout_.region);
  }
  std::size_t landing_bytes(int share) const { return index(share) * layout_.region; }

  /// Announces to all ranks of the node that the message at landing(position) has landed.
  void announce_landing(int position) {
    landed(position).epoch.store(arrival_.epoch(), std::memory_order_release);
  }
  void wait_for_landing(int position);

  /// For each rank of this node, where the block from `position` begins in its message.
  std::uint32_t* landing_offsets(int position) const {
    return reinterpret_cast<std::uint32_t*>(segment_.at(layout_.offsets)) +
           index(position) * index(ranks_);
  }

 private:
  bool can_pull() const { return !processes_.empty(); }
  bool has_pipes() const { return layout_.has_pipes; }
  void map_for_short_blocks() const;
  void choose_ways(std::vector<segment::Distance> distances, Pulls pulls, int cores);
  void pause_for_cell(int local);
  void pause_beside();

  Node(const transport::Tagged& tagged, const schedule::NodeMap& map, const NodeLayout& layout,
       segment::Segment segment);

  // Measured on one machine with 2 ranks while their cores shared a cache: there pipes of 64 KiB to 2 MiB were equally
  // fast, and a page took 2 microseconds to map.
  static constexpr std::size_t kFirstPipe = std::size_t{64} << 10;

  /// How often a part of a pipe is used, at least, before twice as much is.
  static constexpr std::size_t kUses = 64;

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

  transport::Transport& transport_;
  int ranks_;
  int all_ranks_;
  int self_;
  NodeLayout layout_;
  std::size_t limit_inside_;
  std::size_t parity_ = 0;
  bool has_messages_ = false;
  unsigned looks_ = 0;  ///< of a nonblocking exchange, while it waits
  segment::Segment segment_;
  segment::Arrival arrival_;
  segment::Receipts receipts_;
  segment::Waiter waiter_;
  std::vector<int> others_;               ///< ranks of the node, the nearest first
  std::vector<std::uint64_t> counted_;    ///< bytes for each rank of the node
  std::vector<std::uint64_t> not_taken_;  ///< those up to this count are needed no more
  std::vector<std::size_t> mapped_;  ///< bytes of pipes to each rank of the node, and then from it
  std::vector<std::int64_t> processes_;  ///< of the ranks of the node; none if ranks cannot pull
  int pieces_at_a_time_ = 1;
  std::size_t pipe_bytes_ = 0;         ///< that are used in the end
  std::uint64_t whole_pipe_from_ = 0;  ///< the count; see pipe_bytes()
  std::size_t block_unit_ = 1;         ///< blocks begin in pipes at multiples of it
  std::optional<segment::Ways> ways_;  ///< once all ranks have opened the segment
};

}  // namespace rondo::engines
