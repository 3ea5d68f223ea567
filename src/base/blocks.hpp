// The data of an exchange: P blocks to send and P blocks to receive, by rank.
#pragma once

#include <algorithm>
#include <span>

#include "base/bytes.hpp"

namespace rondo {

/// Describes blocks by the arguments of MPI_Alltoallv: block i has counts[i] elements of `size`
/// bytes each and begins displacements[i] * `extent` bytes into a buffer.
struct Extents {
  const int* counts = nullptr;
  const int* displacements = nullptr;
  std::size_t size = 0;
  std::ptrdiff_t extent = 0;
  std::size_t bound = 0;  ///< no block is longer than this
};

/// Blocks in one of three forms: blocks of one length, one after another; blocks that the caller's
/// arrays describe; or a list of blocks. The caller's arrays are read at every access. Where ranks
/// share cores, a copy of them would be one more thing to find cold in the caches. A BlockList
/// refers to what it is given and owns nothing. `Item` is Block or ConstBlock. By default all
/// blocks are empty.
template <class Item>
class BlockList {
 public:
  using Data = decltype(Item::data);

  BlockList() = default;
  /// No block of the list is longer than `bound`.
  BlockList(std::span<Item> listed, std::size_t bound = SIZE_MAX)  // NOLINT
      : listed_(listed.data()), extents_{.bound = bound}, size_(listed.size()) {}
  BlockList(Data buffer, const Extents& extents, std::size_t size)
      : buffer_(buffer), extents_(extents), size_(size) {}
  BlockList(Data buffer, std::size_t block_bytes, std::size_t size)
      : buffer_(buffer), extents_{.size = block_bytes, .bound = block_bytes}, size_(size) {}

  std::size_t size() const { return size_; }

  [[gnu::always_inline]] Item operator[](std::size_t rank) const {
    if (extents_.counts != nullptr)
      return {at_offset(buffer_, extents_.displacements[rank] * extents_.extent),
              static_cast<std::size_t>(extents_.counts[rank]) * extents_.size};
    if (listed_ != nullptr) return listed_[rank];
    return {at_offset(buffer_, static_cast<std::ptrdiff_t>(rank * extents_.size)), extents_.size};
  }

  /// Whether any block is longer than `bytes`.
  bool any_longer(std::size_t bytes) const {
    if (extents_.bound <= bytes) return false;
    for (std::size_t rank = 0; rank < size_; ++rank)
      if ((*this)[rank].bytes > bytes) return true;
    return false;
  }

  /// Returns the length of the longest block.
  std::size_t longest() const {
    std::size_t longest = 0;
    for_each([&](const Item& block) { longest = std::max(longest, block.bytes); });
    return longest;
  }

  /// Calls visit(block) for every block in order.
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

/// P blocks to send and P blocks to receive, by rank. Send and receive memory do not overlap. The
/// blocks of MPI_Alltoall have one length. On a rank whose own arguments are wrong, a block may
/// have a length but null data.
struct Blocks {
  BlockList<ConstBlock> send;
  BlockList<Block> receive;

  /// Set if this rank cannot take part. Only engines that report errors to the other ranks get it.
  const Error* failure = nullptr;

  ConstBlock send_block(int rank) const { return send[static_cast<std::size_t>(rank)]; }
  Block receive_block(int rank) const { return receive[static_cast<std::size_t>(rank)]; }

  /// The common length of uniform blocks.
  std::size_t block_bytes() const { return send[0].bytes; }
};

/// Copies the block of `rank`, which is this one, to itself.
inline void copy_own_block(const Blocks& blocks, int rank) {
  const ConstBlock own = blocks.send_block(rank);
  copy_short(blocks.receive_block(rank).data, own.data, own.bytes);
}

}  // namespace rondo
