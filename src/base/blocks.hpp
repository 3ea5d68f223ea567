// What an exchange moves: P blocks to send and P to receive, by rank.
#pragma once

#include <span>

#include "base/bytes.hpp"

namespace rondo {

/// Blocks as the arguments of MPI_Alltoallv give them: block i is counts[i] elements of `size`
/// bytes each, which begin displacements[i] times `extent` bytes into a buffer.
struct Extents {
  const int* counts = nullptr;
  const int* displacements = nullptr;
  std::size_t size = 0;
  std::ptrdiff_t extent = 0;
};

/// Blocks of one length behind each other, or of the lengths that the caller's arrays give, or in a
/// list. The arrays are read anew at every look: where ranks share cores, a list of their own would
/// be one thing more to find cold in the caches. Refers to what it is given, owns nothing. `Item` is
/// Block or ConstBlock. The default has only empty blocks.
template <class Item>
class BlockList {
 public:
  using Data = decltype(Item::data);

  BlockList() = default;
  BlockList(std::span<Item> listed) : listed_(listed.data()), size_(listed.size()) {}  // NOLINT
  BlockList(Data buffer, const Extents& extents, std::size_t size)
      : buffer_(buffer), extents_(extents), size_(size) {}
  BlockList(Data buffer, std::size_t block_bytes, std::size_t size)
      : buffer_(buffer), extents_{.size = block_bytes}, size_(size) {}

  std::size_t size() const { return size_; }

  Item operator[](std::size_t rank) const {
    if (extents_.counts != nullptr)
      return {at_offset(buffer_, extents_.displacements[rank] * extents_.extent),
              static_cast<std::size_t>(extents_.counts[rank]) * extents_.size};
    if (listed_ != nullptr) return listed_[rank];
    return {at_offset(buffer_, static_cast<std::ptrdiff_t>(rank * extents_.size)), extents_.size};
  }

  /// Call visit(block) for every block in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t rank = 0; rank < size_; ++rank) visit((*this)[rank]);
  }

 private:
  const Item* listed_ = nullptr;
  Data buffer_ = nullptr;
  Extents extents_{};
  std::size_t size_ = 0;
};

/// P blocks to send and P to receive, by rank. Sent and received bytes do not overlap. A block of a
/// rank that found its own arguments wrong may have a length but null data. Those of MPI_Alltoall
/// have one length.
struct Blocks {
  BlockList<ConstBlock> send;
  BlockList<Block> receive;

  /// Set where this rank cannot take part properly, only for an engine that reports it to the others.
  const Error* failure = nullptr;

  ConstBlock send_block(int rank) const { return send[static_cast<std::size_t>(rank)]; }
  Block receive_block(int rank) const { return receive[static_cast<std::size_t>(rank)]; }

  /// The length of blocks that have one.
  std::size_t block_bytes() const { return send[0].bytes; }
};

}  // namespace rondo
