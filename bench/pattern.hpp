// The bytes that travel: every byte is a function of where it belongs, so any that arrives in a
// wrong place, from a wrong rank or from an earlier iteration shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::bench {

/// What stands in the gaps of a buffer, and in blocks that have not been received.
inline constexpr std::byte kPoison{0xa5};

/// The block whose bytes are meant. Byte `offset` of it depends on all four and on the offset.
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
