// Scratch memory of a communicator: one growing buffer per purpose, which keeps its high-water
// mark, so that a steady-state call allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "base/bytes.hpp"

namespace rondo {

/// Uninitialised memory that grows and never shrinks. Growing loses the contents.
class Buffer {
 public:
  /// At least `bytes` bytes, aligned to a cache line. Throws Error(no_memory).
  std::byte* reserve(std::size_t bytes) {
    return bytes <= capacity_ && memory_ ? memory_.get() : grow(bytes);
  }

  std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::byte* grow(std::size_t bytes);

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

class Scratch {
 public:
  /// One buffer per purpose. Two users of one purpose must not be active at the same time: the
  /// first fifteen belong to the algorithms, the others to the C interface around them.
  enum Purpose {
    kWork,       ///< blocks on their way through this rank
    kWorkOther,  ///< the buffer that alternates with kWork
    kOutgoing,   ///< messages being sent
    kIncoming,   ///< messages being received
    kTable,      ///< lengths and pointers by block
    kSizes,      ///< lengths that travel
    kPaddedSend,
    kPaddedReceive,
    kNodeMessages,   ///< to other nodes
    kNodeSend,       ///< blocks by rank, between nodes
    kNodeReceive,    ///< blocks by rank, between nodes
    kNodeLeaders,    ///< ranks by node
    kNodeRuns,       ///< what to pack
    kShortSend,      ///< blocks up to a threshold
    kShortReceive,   ///< blocks up to a threshold
    kPackedSend,     ///< user data in packed form
    kPackedReceive,  ///< user data in packed form
    kSendBlocks,
    kReceiveBlocks,
    kComparedLengths,
    kDeviceBlocks,  ///< what to copy between device and host
    kDeviceImages,  ///< regions of device memory that have an image on the host
    kImages,        ///< the images
    kPurposes,
  };

  std::byte* bytes(Purpose purpose, std::size_t size) { return buffers_[purpose].reserve(size); }

  template <class T>
  std::span<T> array(Purpose purpose, std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    auto* memory = bytes(purpose, checked_multiply(size, sizeof(T)));
    T* first = reinterpret_cast<T*>(memory);
    std::uninitialized_default_construct_n(first, size);
    return {first, size};
  }

  /// Bytes held over all purposes.
  std::size_t held_bytes() const;

 private:
  std::array<Buffer, kPurposes> buffers_;
};

}  // namespace rondo
