// The P blocks of one side of an exchange, by rank.
#pragma once

#include <span>

#include "base/bytes.hpp"

namespace rondo {

/// Blocks as the arguments of MPI_Alltoallv give them: block i is counts[i] elements of `size`
/// bytes each, which begin displacements[i] times `extent` bytes into a buffer.
struct Extents {
  const int* counts;
  const int* displacements;
  std::size_t size;
  std::ptrdiff_t extent;
};

/// Blocks in a list, or found anew at every look from the caller's arrays: where ranks share cores,
/// those are one thing less to find cold in the caches. Refers to either, owns nothing. `Item` is
/// Block or ConstBlock.
template <class Item>
class BlockList {
 public:
  using Data = decltype(Item::data);

  BlockList() = default;
  BlockList(std::span<Item> listed) : listed_(listed.data()), size_(listed.size()) {}  // NOLINT
  BlockList(Data buffer, const Extents& extents, std::size_t size)
      : buffer_(buffer), extents_(extents), size_(size) {}

  std::size_t size() const { return size_; }

  Item operator[](std::size_t rank) const {
    if (listed_ != nullptr) return listed_[rank];
    return {at_offset(buffer_, extents_.displacements[rank] * extents_.extent),
            static_cast<std::size_t>(extents_.counts[rank]) * extents_.size};
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

}  // namespace rondo
