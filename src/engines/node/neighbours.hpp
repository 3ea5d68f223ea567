// The blocks between the ranks of one node, which go through its shared memory or are copied straight
// from their sender's memory. Used on one node and on several.
#pragma once

#include <algorithm>
#include <optional>

#include "base/status.hpp"
#include "engines/context.hpp"
#include "engines/mismatch.hpp"
#include "engines/node/cells.hpp"
#include "engines/node/pieces.hpp"
#include "engines/node/preceded.hpp"
#include "engines/node/pulls.hpp"

namespace rondo::engines {

/// Returns the length of the longest block that goes through shared memory in this call.
inline std::size_t short_limit(const Call& call) {
  std::size_t limit = call.context.node()->limit();
  if (call.context.nodes.nodes() > 1) limit -= kMostLengthBytes;
  return std::min(call.choice.threshold(), limit);
}

/// The same of blocks between ranks of one node.
inline std::size_t short_limit_inside(const Call& call) {
  return std::min(short_limit(call), call.context.node()->limit_inside());
}

/// One rank's exchange with its neighbours. A block travels in the cell if it fits, and in the slot if
/// it has at most `limit` bytes. A longer one is elsewhere: it goes in one of the ways of node/ways.hpp.
/// If that is a message, it has `tag`. If any block of the node is longer than short_limit(), its ranks
/// tell each other whether their blocks have the lengths that they expect. The steps of a rank that takes
/// part are send(), wait_for_all() with exchange_with(), take_elsewhere() and wait_until_taken(); then
/// context.messages.wait().
class Neighbours {
 public:
  Neighbours(Call& call, const Blocks& blocks, std::size_t limit, int tag)
      : context_(call.context),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(limit),
        long_(short_limit(call)),
        tag_(tag),
        needs_longest_(call.needs_longest()),
        may_mismatch_(!call.has_agreed_lengths()),
        pulls_(context_, tag),
        pieces_(context_) {}

  /// Sends every neighbour its cell, the nearest first. Slot bytes from `used` on are free.
  /// `longest_elsewhere` is the length of the longest block to other nodes.
  [[gnu::always_inline]] void send(std::size_t used, std::size_t longest_elsewhere) {
    compares_together_ =
        compares_long() && (blocks_.send.any_longer(long_) || blocks_.receive.any_longer(long_));
    std::size_t longest = std::max(blocks_.send_block(context_.rank).bytes, longest_elsewhere);
    for_each([&](int local, int rank) {
      const ConstBlock block = blocks_.send_block(rank);
      longest = std::max(longest, block.bytes);
      used += write(local, block, used);
      node_.send_cell(local);
    });
    note_longest(longest);
  }

  /// Replaces send() where every neighbour has a cell and no block of this rank is long.
  /// `longest` is the length of the longest.
  void note_longest(std::size_t longest) {
    if (needs_longest_) context_.longest.set_own(longest);
  }

  /// Replaces send() on a rank that cannot take part.
  void send_failure(const Error& failure) {
    for_each([&](int local, int) {
      segment::Cell& cell = node_.cell_to(local);
      cell.bytes = kFailedRank;
      cell.offset = static_cast<std::uint32_t>(told_of(failure));
      node_.send_cell(local);
    });
  }

  /// Waits for every neighbour, and calls visit(local, rank) for each that arrives without a
  /// failure. Adds their reports and failures to `status`.
  template <class Visit>
  [[gnu::always_inline]] void wait_for_all(Status& status, Visit&& visit) {
    status.merge({.largest = reported_});
    for_each([&](int local, int rank) {
      const segment::Cell& cell = node_.wait_for_cell(local, [&] { return advance(); });
      if (cell.bytes == kFailedRank) [[unlikely]]
        return note_failure(cell, local, rank, status);
      status.merge({.largest = report_in(cell, bytes_of(cell))});
      compares_together_ |= compares_long() && (cell.bytes & kHasLong) != 0;
      visit(local, rank);
    });
    // All ranks know of a failure and skip the step.
    if (status.has_failure()) compares_together_ = false;
  }

  /// Writes the lengths of this rank's own block and its neighbours', who must have arrived.
  void write_lengths(Incoming& incoming) const {
    const auto write = [&](int rank, std::uint64_t bytes) {
      incoming.lengths[static_cast<std::size_t>(rank)] = bytes;
    };
    write(context_.rank, blocks_.send_block(context_.rank).bytes);
    for_each([&](int local, int rank) { write(rank, length_in(node_.cell_from(local))); });
  }

  /// Exchanges blocks with a neighbour that has arrived: copies a short block, and notes a long one
  /// to be copied or posts the messages. The neighbour does the same, whichever other rank fails, so
  /// sends match receives.
  void exchange_with(int local, int rank) {
    const segment::Cell& cell = node_.cell_from(local);
    if (is_elsewhere(cell))
      receive_from_elsewhere(cell, local, rank);
    else
      copy_short(cell, local, rank);
    if (sends_by(local, segment::Way::sent)) send_message(blocks_.send_block(rank), rank);
  }

  /// Publishes what this rank has found when it compared lengths, and copies the long blocks.
  void take_elsewhere() {
    if (compares_together_) publish_finding();
    if (!has_elsewhere_) return;
    pulls_.finish();
    pieces_.finish();
  }

  /// Waits until no neighbour needs this rank's memory any more, and for what the neighbours have
  /// found. Blocks that a neighbour could not pull are sent to it.
  void wait_until_taken() {
    if (is_pulled_) wait_for_receipts();
    if (compares_together_) wait_for_findings();
  }

  /// Replaces take_elsewhere() and wait_until_taken() in an exchange in which a rank has failed, before anything was
  /// received, so that no rank receives.
  void withdraw() { pieces_.withdraw(); }

  /// Exchanges all blocks, this rank's own too, when nobody has failed. All neighbours must have arrived.
  void exchange_all(Status& status) {
    copy_own_block(blocks_, context_.rank);
    wait_for_all(status, [this](int local, int rank) { exchange_with(local, rank); });
    take_elsewhere();
  }

  /// Ends the exchange, in which this rank has exchanged its blocks or has not.
  void finish(Call& call, bool has_exchanged) {
    has_exchanged ? wait_until_taken() : withdraw();
    context_.messages.wait();
    store_mismatch(call);
  }

  Mismatch& mismatch() { return mismatch_; }

  /// Stores the mismatch of a block for this rank in `call` or, if any rank of the node had a long
  /// block, of one for a neighbour.
  void store_mismatch(Call& call) const {
    if (const Lengths* const own = mismatch_.first())
      call.mismatch = own->error(context_.rank);
    else if (heard_)
      call.mismatch = heard_;
  }

 private:
  static std::uint64_t length_in(const segment::Cell& cell) {
    return is_elsewhere(cell) ? elsewhere_in(cell).bytes : bytes_of(cell);
  }

  /// Whether this rank's cell for a neighbour announces a block that goes in such a way.
  bool sends_by(int local, segment::Way way) const {
    const segment::Cell& cell = node_.cell_to(local);
    return is_elsewhere(cell) && elsewhere_in(cell).way == way;
  }

  // What few exchanges need is kept out of line, so that short blocks do not pay for it.

  [[gnu::noinline]] void note_failure(const segment::Cell& cell, int local, int rank,
                                      Status& status) {
    node_.free_pipe(local);
    status.merge({.failed_rank = rank, .failed_class = static_cast<std::int32_t>(cell.offset)});
  }

  [[gnu::noinline]] void publish_finding() {
    const Lengths* const first = mismatch_.first();
    segment::Finding& finding = node_.receipts().finding();
    finding.source = first != nullptr ? first->source : segment::Finding::kNoRank;
    finding.sent = first != nullptr ? first->sent : 0;
    finding.expected = first != nullptr ? first->expected : 0;
    node_.receipts().publish(node_.epoch());
  }

  [[gnu::noinline]] void wait_for_receipts() {
    const segment::Receipts& receipts = node_.receipts();
    for_each([&](int local, int rank) {
      if (!sends_by(local, segment::Way::pulled) || node_.cell_from(local).bytes == kFailedRank)
        return;
      if (!receipts.wait_for(local, node_.epoch(), [&] { node_.pause(); }))
        send_message(blocks_.send_block(rank), rank);
    });
  }

  [[gnu::noinline]] void wait_for_findings() {
    for_each([&](int local, int rank) {
      const segment::Finding& finding =
          node_.receipts().wait_for_finding(local, node_.epoch(), [&] { node_.pause(); });
      if (finding.source != segment::Finding::kNoRank && !heard_)
        heard_ = Lengths{finding.source, finding.sent, finding.expected}.error(rank);
    });
  }

  /// Whether ranks report mismatches to each other in an exchange with long blocks.
  bool compares_long() const { return may_mismatch_ && node_.copies_long(); }

  /// Copies what can be copied of blocks that are elsewhere. Returns whether there was anything.
  bool advance() {
    if (!has_elsewhere_) return false;
    const bool has_moved = pieces_.advance();
    return pulls_.advance() || has_moved;
  }

  void copy_short(const segment::Cell& cell, int local, int rank) {
    const std::size_t bytes = bytes_of(cell);
    const Block block = blocks_.receive_block(rank);
    mismatch_.compare(rank, bytes, block.bytes);
    copy_bytes(block.data, block_in(node_, cell, bytes, local), std::min(bytes, block.bytes));
  }

  /// A block of another length than this rank expects is not copied; in a message, it is received
  /// into memory that nobody reads.
  [[gnu::noinline]] void receive_from_elsewhere(const segment::Cell& cell, int local, int rank) {
    const Block block = blocks_.receive_block(rank);
    const Elsewhere sent = elsewhere_in(cell);
    expect_elsewhere();
    mismatch_.compare(rank, sent.bytes, block.bytes);
    const bool agrees = sent.bytes == block.bytes;
    if (sent.way == segment::Way::sent) {
      context_.messages.receive(mismatch_.place_for(sent.bytes, block), sent.bytes, rank, tag_);
      node_.expect_messages();
    } else if (sent.way != segment::Way::pulled) {
      const Pieces::Route route{.local = local, .way = sent.way, .begin = sent.where};
      agrees ? pieces_.receive(route, block) : pieces_.refuse(route, sent.bytes);
    } else if (agrees) {
      pulls_.add({.local = local, .rank = rank, .address = sent.where, .place = block});
    } else {
      node_.receipts().give(local, node_.epoch(), false);
    }
  }

  void send_message(const ConstBlock& block, int rank) {
    context_.messages.send(block.data, block.bytes, rank, tag_);
    node_.expect_messages();
  }

  /// Calls visit(local, rank) for every neighbour, the nearest first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const schedule::NodeMap& map = context_.nodes;
    const int node = map.node_of(context_.rank);
    for (const int local : node_.others()) visit(local, map.rank_of(node, local));
  }

  /// Writes a block to its cell or slot. Returns the bytes that it takes in the slot.
  std::size_t write(int local, const ConstBlock& block, std::size_t used) {
    segment::Cell& cell = node_.cell_to(local);
    std::size_t taken = 0;
    if (block.bytes > limit_)
      send_elsewhere(local, block);
    else
      taken = write_block(node_, cell, block, reported_, used);
    if (compares_together_) cell.bytes |= kHasLong;
    return taken;
  }

  [[gnu::noinline]] void send_elsewhere(int local, const ConstBlock& block) {
    expect_elsewhere();
    const segment::Way way = node_.ways().choose(local, block.bytes);
    std::uint64_t where = reinterpret_cast<std::uintptr_t>(block.data);
    if (way == segment::Way::pulled) {
      is_pulled_ = true;
    } else if (way != segment::Way::sent) {
      where = node_.next_begin(local);
      node_.count(local, pieces_.end_of(where, block.bytes));
      pieces_.send({.local = local, .way = way, .begin = where}, block);
    }
    write_elsewhere(node_.cell_to(local),
                    {.bytes = block.bytes, .report = reported_, .way = way, .where = where});
  }

  /// Takes all memory at the first such block, whatever ways the next ones go.
  void expect_elsewhere() {
    if (has_elsewhere_) return;
    pulls_.reserve();
    pieces_.reserve();
    has_elsewhere_ = true;
  }

  Context& context_;
  Node& node_;
  const Blocks& blocks_;
  std::size_t limit_;
  std::size_t long_;
  int tag_;
  bool needs_longest_;
  bool may_mismatch_;
  bool compares_together_ = false;  ///< whether all ranks of the node publish what they found
  bool has_elsewhere_ = false;      ///< whether blocks to or from this rank are elsewhere
  bool is_pulled_ = false;          ///< whether a neighbour pulls a block of this rank
  std::uint32_t reported_ = context_.longest.own();  ///< this rank's report
  Mismatch mismatch_;
  std::optional<Error> heard_;  ///< a neighbour's mismatch
  Pulls pulls_;
  Pieces pieces_;
};

}  // namespace rondo::engines
