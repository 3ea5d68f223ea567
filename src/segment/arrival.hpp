// How the ranks of a node pass each other small messages, and learn from them that all ranks have
// arrived in an exchange.
//
// Every ordered pair of ranks has two cells of one cache line each, one for odd epochs and one for
// even epochs. Every rank counts its exchanges in epochs 1, 2, ... In each epoch it writes one cell
// for every rank of the node, whether or not it has data for it, and stores the epoch in the cell
// last. A rank that has seen this store can read everything that was written before it, in the cell
// or elsewhere. A short block thus travels in the cache line that announces it.
//
// Invariant: a rank begins epoch e + 1 only after it has seen the cells of epoch e from every rank.
//            When it begins e + 2, it has seen every rank's cells of e + 1, so every rank has ended
//            e, and everything of parity e % 2 (cells, slots) may be written again. No second
//            barrier is needed. This holds only if every exchange waits for every rank.
//
// Both hold on processors that reorder reads and writes, as Arm's and Power's do: a store that releases comes after
// all reads and writes before it, so what a rank has read in epoch e it has read before others see its cells of e + 1;
// a load that acquires comes before all that follow.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::segment {

struct alignas(64) Cell {
  static constexpr std::size_t kInlineBytes = 48;

  std::atomic<std::uint64_t> epoch{0};
  std::uint32_t bytes;
  std::uint32_t offset;
  std::array<std::byte, kInlineBytes> data;
};
static_assert(sizeof(Cell) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

class Arrival {
 public:
  static constexpr std::size_t kParities = 2;

  static constexpr std::size_t cells(std::size_t ranks) { return kParities * ranks * ranks; }

  /// `cells` is in shared memory that is all zero at first.
  Arrival(Cell* cells, int ranks, int self)
      : cells_(cells),
        ranks_(static_cast<std::size_t>(ranks)),
        self_(static_cast<std::size_t>(self)) {
    point_at(0);
  }

  /// Begins the next epoch. Returns its parity.
  std::size_t begin() {
    const std::size_t parity = ++epoch_ % kParities;
    point_at(parity);
    return parity;
  }
  std::uint64_t epoch() const { return epoch_; }

  /// The cell from this rank to `reader`. It is written first and then sent.
  Cell& to(int reader) const { return to_[static_cast<std::size_t>(reader) * ranks_]; }
  void send(int reader) const { to(reader).epoch.store(epoch_, std::memory_order_release); }

  /// The cell from `writer`. It may be read once wait_for() has returned.
  const Cell& from(int writer) const { return from_[writer]; }

  /// Whether the cell from `writer` has arrived.
  bool has_arrived(int writer) const {
    return from(writer).epoch.load(std::memory_order_acquire) >= epoch_;
  }

  /// Calls pause() repeatedly until the cell from `writer` has arrived.
  template <class Pause>
  const Cell& wait_for(int writer, Pause&& pause) const {
    while (!has_arrived(writer)) pause();
    return from(writer);
  }

 private:
  /// Cells are in the order of parities, readers and writers.
  void point_at(std::size_t parity) {
    Cell* const first = cells_ + parity * ranks_ * ranks_;
    from_ = first + self_ * ranks_;
    to_ = first + self_;
  }

  Cell* cells_;
  std::size_t ranks_;
  std::size_t self_;
  std::uint64_t epoch_ = 0;
  Cell* from_;  ///< the cells to this rank in this epoch, by writer
  Cell* to_;    ///< the first of those from this rank, which are `ranks` cells apart
};

}  // namespace rondo::segment
