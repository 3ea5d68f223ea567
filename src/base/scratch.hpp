// Scratch memory of a communicator: one buffer for each purpose. A buffer keeps its high-water
// mark, so a steady-state call allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "base/bytes.hpp"

namespace rondo {

/// Uninitialised memory that grows and never shrinks. Growing discards the contents.
class Buffer {
 public:
  /// Returns at least `bytes` bytes, aligned to a cache line. Throws Error(no_memory).
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
  /// Two users of one purpose must not be active at the same time. The first twenty-one purposes
  /// belong to the algorithms, the others to the C interface around them.
  enum Purpose {
    kWork,       ///< blocks in transit at this rank
    kWorkOther,  ///< alternates with kWork
    kOutgoing,   ///< messages being sent
    kIncoming,   ///< messages being received
    kTable,      ///< lengths and pointers by block
    kSizes,      ///< lengths that are sent and received
    kPaddedSend,
    kPaddedReceive,
    kNodeMessages,   ///< messages to other nodes
    kNodeSend,       ///< messages between nodes, by leader
    kNodeReceive,    ///< messages between nodes, by leader
    kNodeLeaders,    ///< leaders by node
    kNodeRuns,       ///< parts of slots to pack
    kNodeRepeats,    ///< blocks that are the same memory for several ranks of a node
    kNodePulls,      ///< long blocks of neighbours
    kNodeSending,    ///< long blocks for neighbours, in pieces
    kNodeReceiving,  ///< long blocks of neighbours, in pieces
    kLongSends,      ///< blocks that go straight to their ranks
    kLongReceives,   ///< blocks that come straight from their ranks
    kShortSend,      ///< blocks up to the threshold
    kShortReceive,   ///< blocks up to the threshold
    kPackedSend,     ///< user data in packed form
    kPackedReceive,  ///< user data in packed form
    kSendBlocks,
    kReceiveBlocks,
    kComparedLengths,
    kJoinedSend,     ///< blocks of several edges to one rank
    kJoinedReceive,  ///< blocks of several edges from one rank
    kDeviceBlocks,   ///< blocks to copy between device and host
    kDeviceImages,   ///< regions of device memory with an image on the host
    kImages,         ///< the bytes of these images
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

  /// Returns the bytes held for all purposes together.
  std::size_t held_bytes() const;

 private:
  std::array<Buffer, kPurposes> buffers_;
};

}  // namespace rondo
