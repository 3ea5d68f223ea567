// Long blocks that go through the node's shared memory in pieces: the sender writes the next pieces into a pipe
// while the receiver copies the ones before them out.
//
// A pipe is longer than what a core's own cache holds, if memory allows, and pieces fill it from end to end before
// they use a part of it again. A part that is written again while the reader's cache still has it takes far longer,
// because every cache line must be taken back from there.
//
// The bytes that went through a pipe are counted over all exchanges. The count at which a piece begins says where it
// is. A piece that would reach beyond the end of the pipe begins at its start, and the bytes in between count, too.
// At first only a part of the pipe is used (Node::pipe_bytes()).
#pragma once

#include <algorithm>
#include <span>

#include "engines/context.hpp"

namespace rondo::engines {

/// The long blocks that one rank sends and receives in pieces in one exchange. No rank waits for all
/// ranks between pieces: the two of a pair go on as they can.
class Pieces {
 public:
  explicit Pieces(Context& context) : context_(context), node_(*context_.node()) {}

  /// How a block goes between this rank and rank `local`.
  struct Route {
    int local;
    segment::Way way;
    std::uint64_t begin;  ///< the count at which it begins
  };

  /// Returns the count at which a block ends.
  std::uint64_t end_of(std::uint64_t begin, std::size_t bytes) const {
    for (std::size_t left = bytes; left != 0; left -= length_of(left))
      begin = start_of(begin, length_of(left)) + length_of(left);
    return begin;
  }

  /// Takes memory for all that may be sent and received.
  void reserve() {
    const auto ranks = static_cast<std::size_t>(node_.ranks());
    sending_ = context_.scratch.array<Sending>(Scratch::kNodeSending, ranks);
    receiving_ = context_.scratch.array<Receiving>(Scratch::kNodeReceiving, ranks);
  }

  /// Begins to send a block: writes the first pieces. The receiver is told by the cell that is sent next.
  void send(const Route& route, const ConstBlock& block) {
    Sending sent{progress_of(route, block.bytes), block.data};
    fill(sent);
    sending_[sent_++] = sent;
  }

  /// Begins to receive a block of the length that the sender announces.
  void receive(const Route& route, const Block& place) {
    receiving_[received_++] = {progress_of(route, place.bytes), place.data};
  }

  /// Tells the sender that a block of `bytes` bytes is not wanted.
  void refuse(const Route& route, std::size_t bytes) {
    node_.receipts().count_taken(route.local, end_of(route.begin, bytes));
  }

  /// Forgets what was sent: in this exchange nobody receives.
  void withdraw() {
    for (int local = 0; local < node_.ranks(); ++local) node_.free_pipe(local);
    sent_ = 0;
  }

  /// Moves what can be moved now. Returns whether there was anything.
  bool advance() {
    bool has_moved = false;
    for (std::size_t i = received_; i-- > 0;) {
      has_moved |= take(receiving_[i]);
      if (receiving_[i].left == 0) receiving_[i] = receiving_[--received_];
    }
    for (std::size_t i = sent_; i-- > 0;) {
      has_moved |= fill(sending_[i]);
      if (sending_[i].left == 0) sending_[i] = sending_[--sent_];
    }
    return has_moved;
  }

  void finish() {
    while (sent_ + received_ != 0) advance() ? node_.begin_wait() : node_.pause();
  }

 private:
  /// How far a block is.
  struct Progress {
    int local;
    segment::Way way;
    std::uint64_t count;  ///< at which the next piece begins
    std::uint64_t end;
    std::size_t bytes;
    std::size_t left;
  };
  struct Sending : Progress {
    const std::byte* from;
  };
  struct Receiving : Progress {
    std::byte* to;
  };

  Progress progress_of(const Route& route, std::size_t bytes) const {
    return {.local = route.local,
            .way = route.way,
            .count = route.begin,
            .end = end_of(route.begin, bytes),
            .bytes = bytes,
            .left = bytes};
  }

  std::size_t length_of(std::size_t left) const { return std::min(left, node_.piece_bytes()); }

  std::uint64_t start_of(std::uint64_t count, std::size_t length) const {
    for (;;) {
      const std::size_t used = node_.pipe_bytes(count);
      const std::size_t left = used - count % used;
      if (length <= left) return count;
      count += left;
    }
  }

  /// Whether a piece of `block` may be written, where the reader has taken everything up to the count `taken`. Where
  /// all is taken, any place is free. Where more of the pipe is used than before, what was written before lies elsewhere.
  bool has_room(const Sending& block, std::uint64_t taken, std::uint64_t start,
                std::size_t length) const {
    const std::size_t used = node_.pipe_bytes(start);
    return taken >= block.count ||
           (node_.pipe_bytes(taken) == used && start + length <= taken + used);
  }

  /// Writes pieces while the pipe has room.
  bool fill(Sending& block) {
    const std::uint64_t taken = node_.taken_by(block.local);
    if (taken >= block.end) block.left = 0;  // the block is not wanted
    int pieces = 0;
    for (; block.left != 0 && pieces < node_.pieces_at_a_time(); ++pieces) {
      const std::size_t length = length_of(block.left);
      const std::uint64_t start = start_of(block.count, length);
      if (!has_room(block, taken, start, length)) break;
      write_piece(block, start, length);
    }
    return pieces != 0 || block.left == 0;
  }

  void write_piece(Sending& block, std::uint64_t start, std::size_t length) {
    std::byte* const to = node_.pipe(node_.self(), block.local, start, length);
    const bool is_streamed = block.way == segment::Way::streamed;
    const auto part = is_streamed ? segment::Times::write_streamed : segment::Times::write_copied;
    node_.ways().timed(part, block.local, block.bytes, length, [&] {
      if (!is_streamed) return copy_bytes(to, block.from, length);
      segment::stream(to, block.from, length);
      segment::end_stream();
    });
    block.from += length;
    pass(block, start, length);
    node_.receipts().count_filled(block.local, block.count);
  }

  /// Copies out pieces that are there.
  bool take(Receiving& block) {
    const std::uint64_t filled = node_.receipts().filled_by(block.local);
    int pieces = 0;
    for (; block.left != 0 && pieces < node_.pieces_at_a_time(); ++pieces) {
      const std::size_t length = length_of(block.left);
      const std::uint64_t start = start_of(block.count, length);
      if (start + length > filled) break;
      read_piece(block, start, length);
    }
    return pieces != 0;
  }

  void read_piece(Receiving& block, std::uint64_t start, std::size_t length) {
    const std::byte* const from = node_.pipe(block.local, node_.self(), start, length);
    const auto part = block.way == segment::Way::streamed ? segment::Times::read_streamed
                                                          : segment::Times::read_copied;
    node_.ways().timed(part, block.local, block.bytes, length,
                       [&] { copy_bytes(block.to, from, length); });
    block.to += length;
    pass(block, start, length);
    node_.receipts().count_taken(block.local, block.count);
  }

  static void pass(Progress& block, std::uint64_t start, std::size_t length) {
    block.count = start + length;
    block.left -= length;
  }

  Context& context_;
  Node& node_;
  std::span<Sending> sending_;
  std::span<Receiving> receiving_;
  std::size_t sent_ = 0;      ///< how many are being sent
  std::size_t received_ = 0;  ///< and received
};

}  // namespace rondo::engines
