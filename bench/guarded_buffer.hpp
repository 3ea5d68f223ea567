// One side of an exchange: a block for every rank, with guard bytes around and between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pattern.hpp"

namespace rondo::bench {

/// A byte that is not what it should be.
struct WrongByte {
  int block = -1;           ///< the rank that its block belongs to; -1 outside of all blocks
  std::int64_t offset = 0;  ///< in its block, or from displacement 0
  std::uint8_t found = 0;
  std::uint8_t expected = 0;
};

class GuardedBuffer {
 public:
  static constexpr std::size_t kGuardBytes = 64;

  struct Spacing {
    std::size_t gap_bytes = 0;
    std::size_t most_span_bytes = SIZE_MAX;  ///< what displacements can reach
  };

  explicit GuardedBuffer(const Spacing& spacing) : spacing_(spacing) {}

  /// Allocates memory for blocks of these lengths, in rank order with gaps between them, in place of earlier
  /// ones. Memory only grows, and grown memory is all poison. Throws Error(count) if the blocks span
  /// too much, and Error(no_memory).
  void arrange(std::vector<std::size_t> block_bytes);

  /// The address of displacement 0, where the first block begins.
  std::byte* data() { return memory_.data() + kGuardBytes; }
  int blocks() const { return static_cast<int>(block_bytes_.size()); }
  std::size_t block_bytes(int rank) const { return block_bytes_[static_cast<std::size_t>(rank)]; }
  std::size_t displacement(int rank) const {
    return displacements_[static_cast<std::size_t>(rank)];
  }

  /// The bytes from displacement 0 to the end of the last block.
  std::size_t span_bytes() const { return span_bytes_; }
  /// The bytes of all blocks.
  std::size_t payload_bytes() const;

  /// Overwrite everything with poison.
  void poison();

  /// Fill all blocks; name_of(rank) names the block that belongs to `rank`.
  template <class NameOf>
  void fill(NameOf&& name_of) {
    for (int rank = 0; rank < blocks(); ++rank)
      fill_pattern({data() + displacement(rank), block_bytes(rank)}, name_of(rank));
  }

  /// Counts the bytes that are neither the pattern, in the blocks, nor poison, everywhere else.
  template <class NameOf>
  std::uint64_t wrong_bytes(NameOf&& name_of) const {
    const std::span<const std::byte> all(memory_);
    std::uint64_t wrong = 0;
    std::size_t end = 0;
    for (int rank = 0; rank < blocks(); ++rank) {
      const std::size_t begin = kGuardBytes + displacement(rank);
      wrong += count_unpoisoned_bytes(all.subspan(end, begin - end));
      wrong += count_wrong_bytes(all.subspan(begin, block_bytes(rank)), name_of(rank));
      end = begin + block_bytes(rank);
    }
    return wrong + count_unpoisoned_bytes(all.subspan(end));
  }

  /// The first of them.
  template <class NameOf>
  std::optional<WrongByte> first_wrong_byte(NameOf&& name_of) const {
    GuardedBuffer expected(*this);
    expected.poison();
    expected.fill(name_of);
    return first_difference(expected);
  }

 private:
  std::optional<WrongByte> first_difference(const GuardedBuffer& expected) const;

  Spacing spacing_;
  std::size_t span_bytes_ = 0;
  std::vector<std::size_t> block_bytes_;
  std::vector<std::size_t> displacements_;
  std::vector<std::byte> memory_;
};

}  // namespace rondo::bench
