// Blocks to another node in a dynamic exchange or along the edges of a topology. Each block is preceded
// by its length: in a dynamic exchange no rank of that node knows it, and along edges the ranks of that
// node need no table of what they expect. Of a long block only the length is sent here.
#pragma once

#include <cstdint>
#include <cstring>

#include "engines/node/node.hpp"

namespace rondo::engines {

/// The bytes before a block. A long block has kLongBlock there, and its length follows.
inline constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
static_assert(kLengthBytes + sizeof(std::uint64_t) <= NodeLayout::kShortestLimit);

/// Along edges, a block that is the same as an earlier one of its run has no bytes. In place of its length
/// it has this, plus the number of the other in the run.
inline constexpr std::uint32_t kRepeatedBlock = 1U << 31;
static_assert(NodeLayout::kLongestBlock < kRepeatedBlock);

inline bool is_repeated(std::uint32_t mark) {
  return mark >= kRepeatedBlock && mark != kLongBlock;
}
inline std::uint32_t number_of_repeated(std::uint32_t mark) {
  return mark & ~kRepeatedBlock;
}

inline std::byte* write_repeated(std::byte* to, std::uint32_t number) {
  const std::uint32_t mark = kRepeatedBlock + number;
  std::memcpy(to, &mark, kLengthBytes);
  return to + kLengthBytes;
}

/// Writes a block, preceded by its length. Returns the end.
inline std::byte* write_preceded(std::byte* to, const ConstBlock& block, std::size_t limit) {
  const bool is_long = block.bytes > limit;
  const std::uint32_t mark = is_long ? kLongBlock : static_cast<std::uint32_t>(block.bytes);
  std::memcpy(to, &mark, kLengthBytes);
  to += kLengthBytes;
  if (!is_long) {
    copy_bytes(to, block.data, block.bytes);
    return to + block.bytes;
  }
  const std::uint64_t bytes = block.bytes;
  std::memcpy(to, &bytes, sizeof bytes);
  return to + sizeof bytes;
}

/// What stands before `data`: the length of a short block, or kLongBlock.
inline std::uint32_t mark_before(const std::byte* data) {
  std::uint32_t mark = 0;
  std::memcpy(&mark, data - kLengthBytes, kLengthBytes);
  return mark;
}

/// Returns the length of the block at `data`.
inline std::uint64_t length_before(const std::byte* data) {
  std::uint64_t bytes = mark_before(data);
  if (bytes == kLongBlock) std::memcpy(&bytes, data, sizeof bytes);
  return bytes;
}

/// Returns how many bytes the block at `data` takes there.
inline std::size_t taken_at(const std::byte* data) {
  const std::uint32_t mark = mark_before(data);
  if (is_repeated(mark)) return 0;
  return mark == kLongBlock ? sizeof(std::uint64_t) : mark;
}

}  // namespace rondo::engines
