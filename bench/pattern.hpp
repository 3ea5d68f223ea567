// The bytes that travel. Every byte is a function of where it belongs, so a byte from a wrong place, a
// wrong rank or an earlier iteration is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::bench {

/// The content of the gaps of a buffer, and of blocks that have not been received.
inline constexpr std::byte kPoison{0xa5};

/// Names a block. Its bytes depend on these four numbers and on their offset in the block.
struct BlockName {
  std::uint64_t seed = 0;
  int iteration = 0;
  int source = 0;
  int destination = 0;
};

void fill_pattern(std::span<std::byte> block, const BlockName& name);

/// How many bytes of `block` are not the pattern's.
std::uint64_t count_wrong_bytes(std::span<const std::byte> block, const BlockName& name);

/// How many bytes of `gap` are not poison.
std::uint64_t count_unpoisoned_bytes(std::span<const std::byte> gap);

}  // namespace rondo::bench
