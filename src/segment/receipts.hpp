// What the ranks of a node tell each other when they copy each other's long blocks: which mismatch a
// rank has found, and how far they are.
//
// A rank that copies a block straight from its sender's memory gives a receipt: the sender may leave the
// exchange, and change what it has sent, only when it has the receipts of all such readers. If a block goes
// through a pipe in pieces, the two ranks count its bytes instead, over all epochs.
// Receipts and findings have the number of the epoch and need no second
// place for the other parity: a rank writes those of epoch e + 1 only after it has seen all cells of
// e + 1 (node/arrival.hpp), and whoever waits for them in epoch e sends these cells afterwards.
// A receipt or a count releases the reads before it, so a sender that acquires it may overwrite what was read. Reads
// by the kernel, in process_vm_readv, are this core's reads like any other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace rondo::segment {

/// What a rank has found when it compared the lengths of the blocks for it.
struct alignas(64) Finding {
  static constexpr std::int32_t kNoRank = -1;

  std::atomic<std::uint64_t> epoch{0};
  std::uint64_t sent;
  std::uint64_t expected;
  std::int32_t source;  ///< of the first block with another length than expected, or kNoRank
};
static_assert(sizeof(Finding) == 64);

class Receipts {
 public:
  static constexpr std::size_t bytes(std::size_t ranks) { return ranks * row_bytes(ranks); }

  /// `memory` is shared, aligned to a cache line, and all zero at first.
  Receipts(std::byte* memory, int ranks, int self)
      : memory_(memory), row_bytes_(row_bytes(static_cast<std::size_t>(ranks))), self_(self) {}

  /// This rank's finding. It is written first and then published.
  Finding& finding() const { return finding_of(self_); }
  void publish(std::uint64_t epoch) const {
    finding().epoch.store(epoch, std::memory_order_release);
  }

  /// Calls pause() repeatedly until rank `local` has published its finding.
  template <class Pause>
  const Finding& wait_for_finding(int local, std::uint64_t epoch, Pause&& pause) const {
    const Finding& finding = finding_of(local);
    while (finding.epoch.load(std::memory_order_acquire) < epoch) pause();
    return finding;
  }

  /// How much rank `reader` has copied out of its pipe of this rank, and rank `source` has written into
  /// its pipe for this rank, as they count it over all epochs.
  std::uint64_t taken_by(int reader) const {
    return entry(kTaken, self_, reader).load(std::memory_order_acquire);
  }
  std::uint64_t filled_by(int source) const {
    return entry(kFilled, self_, source).load(std::memory_order_acquire);
  }
  void count_taken(int source, std::uint64_t count) const {
    entry(kTaken, source, self_).store(count, std::memory_order_release);
  }
  void count_filled(int reader, std::uint64_t count) const {
    entry(kFilled, reader, self_).store(count, std::memory_order_release);
  }

  /// Tells rank `source` that this rank needs its block no more. If it `is_refused`, it could not be
  /// read and must come in a message.
  void give(int source, std::uint64_t epoch, bool is_refused) const {
    entry(kReceipt, source, self_)
        .store(2 * epoch + (is_refused ? 1 : 0), std::memory_order_release);
  }

  /// Calls pause() repeatedly until rank `reader` has given its receipt. Returns whether it has the
  /// block.
  template <class Pause>
  bool wait_for(int reader, std::uint64_t epoch, Pause&& pause) const {
    const Entry& given = entry(kReceipt, self_, reader);
    std::uint64_t value = 0;
    while ((value = given.load(std::memory_order_acquire)) < 2 * epoch) pause();
    return value == 2 * epoch;
  }

 private:
  using Entry = std::atomic<std::uint64_t>;

  /// A rank's row has its finding and what it alone waits for, by rank: the receipts and the counts of the
  /// readers of its blocks, and the counts of the senders of its own.
  enum List : std::size_t { kReceipt, kTaken, kFilled, kLists };

  static constexpr std::size_t row_bytes(std::size_t ranks) {
    return sizeof(Finding) + kLists * list_bytes(ranks);
  }
  static constexpr std::size_t list_bytes(std::size_t ranks) {
    return round_up(ranks * sizeof(Entry), sizeof(Finding));
  }

  std::byte* row(int local) const { return memory_ + static_cast<std::size_t>(local) * row_bytes_; }
  Finding& finding_of(int local) const { return *reinterpret_cast<Finding*>(row(local)); }
  Entry& entry(List list, int owner, int other) const {
    const std::size_t list_length = (row_bytes_ - sizeof(Finding)) / kLists;
    return reinterpret_cast<Entry*>(row(owner) + sizeof(Finding) + list * list_length)[other];
  }

  std::byte* memory_;
  std::size_t row_bytes_;
  int self_;
};

}  // namespace rondo::segment
