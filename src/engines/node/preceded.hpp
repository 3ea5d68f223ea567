// Blocks in a message to another node. Each is preceded by its length, so the leader that receives the message
// finds them without knowing what the ranks of its node expect. Of a long block only the length is there, and
// along edges a block that is the same as an earlier one of its run has only the number of that one.
//
//   length, of less than 253    the block
//   253, length in 4 bytes      the block
//   254, number in 4 bytes      a repeated block
//   255, length in 8 bytes      a long block
#pragma once

#include <cstdint>
#include <cstring>

#include "engines/long_blocks.hpp"
#include "engines/mismatch.hpp"
#include "engines/node/node.hpp"

namespace rondo::engines {

/// What precedes a short block has at most this many bytes.
inline constexpr std::size_t kMostLengthBytes = 1 + sizeof(std::uint32_t);
static_assert(1 + sizeof(std::uint64_t) <= NodeLayout::kShortestLimit);

/// A block as it is in a message.
struct Preceded {
  static constexpr std::uint8_t kWide = 253;
  static constexpr std::uint8_t kRepeated = 254;
  static constexpr std::uint8_t kLong = 255;

  std::uint8_t mark;     ///< the first byte
  std::uint64_t number;  ///< the length, or of a repeated block the number of the first like it
  const std::byte* data;

  bool is_repeated() const { return mark == kRepeated; }
  bool is_long() const { return mark == kLong; }
  const std::byte* end() const { return data + (mark <= kWide ? number : 0); }
};

/// Reads what begins at `at`.
inline Preceded read_preceded(const std::byte* at) {
  const auto mark = static_cast<std::uint8_t>(*at++);
  if (mark < Preceded::kWide) return {.mark = mark, .number = mark, .data = at};
  if (mark == Preceded::kLong) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return {.mark = mark, .number = bytes, .data = at + sizeof bytes};
  }
  std::uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return {.mark = mark, .number = number, .data = at + sizeof number};
}

/// Writes a mark and a number. Returns the end.
template <class Number>
std::byte* write_mark(std::byte* to, std::uint8_t mark, Number number) {
  *to++ = static_cast<std::byte>(mark);
  std::memcpy(to, &number, sizeof number);
  return to + sizeof number;
}

inline std::byte* write_repeated(std::byte* to, std::uint32_t number) {
  return write_mark(to, Preceded::kRepeated, number);
}

/// Writes a block, preceded by its length. One of more than `limit` bytes is long. Returns the end.
inline std::byte* write_preceded(std::byte* to, const ConstBlock& block, std::size_t limit) {
  if (block.bytes > limit)
    return write_mark(to, Preceded::kLong, static_cast<std::uint64_t>(block.bytes));
  if (block.bytes < Preceded::kWide)
    *to++ = static_cast<std::byte>(block.bytes);
  else
    to = write_mark(to, Preceded::kWide, static_cast<std::uint32_t>(block.bytes));
  copy_bytes(to, block.data, block.bytes);
  return to + block.bytes;
}

/// Copies the block at `at` to its place, or receives it from `source` if it is long.
inline void take_preceded(const std::byte* at, int source, const Block& place, Mismatch& mismatch,
                          LongBlocks& long_blocks) {
  const Preceded block = read_preceded(at);
  mismatch.compare(source, block.number, place.bytes);
  if (block.is_long())
    long_blocks.receive(mismatch.place_for(block.number, place), block.number, source);
  else if (block.number == place.bytes)
    copy_bytes(place.data, block.data, place.bytes);
}

}  // namespace rondo::engines
