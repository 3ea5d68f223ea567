// The memory areas that steps copy between, and the copy of one block: for the device, and for
// tests on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/blocks.hpp"
#include "gpu/steps.hpp"

namespace rondo::gpu {

/// The beginnings of the areas in steps.hpp.
struct Areas {
  const std::byte* send;
  std::byte* receive;
  std::byte* outgoing;
  std::byte* incoming;

  RONDO_DEVICE const std::byte* from(const Copy& copy, std::size_t block_bytes) const {
    const std::size_t offset = copy.from * block_bytes;
    if (copy.from_area == Area::send) return send + offset;
    return incoming + offset;
  }
  RONDO_DEVICE std::byte* to(const Copy& copy, std::size_t block_bytes) const {
    const std::size_t offset = copy.to * block_bytes;
    if (copy.to_area == Area::receive) return receive + offset;
    return outgoing + offset;
  }
};

/// Does the part of a copy that belongs to thread `index` of `count`: words, then the remaining
/// bytes.
template <class Word>
RONDO_DEVICE void copy_words(std::byte* to, const std::byte* from, std::size_t bytes,
                             std::size_t index, std::size_t count) {
  auto* const target = reinterpret_cast<Word*>(to);
  const auto* const source = reinterpret_cast<const Word*>(from);
  const std::size_t words = bytes / sizeof(Word);
  for (std::size_t at = index; at < words; at += count) target[at] = source[at];
  for (std::size_t at = words * sizeof(Word) + index; at < bytes; at += count) to[at] = from[at];
}

struct alignas(16) Sixteen {
  std::uint64_t low;
  std::uint64_t high;
};

/// As copy_words(), in the longest words for which both places are aligned.
RONDO_DEVICE inline void copy_part(std::byte* to, const std::byte* from, std::size_t bytes,
                                   std::size_t index, std::size_t count) {
  const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (bits % sizeof(Sixteen) == 0) return copy_words<Sixteen>(to, from, bytes, index, count);
  if (bits % sizeof(std::uint32_t) == 0)
    return copy_words<std::uint32_t>(to, from, bytes, index, count);
  copy_words<std::uint8_t>(to, from, bytes, index, count);
}

}  // namespace rondo::gpu
