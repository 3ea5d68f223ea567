// A buffer with guard bytes round it, and what it must look like.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "support/layout.hpp"
#include "support/pages.hpp"

namespace rondo::testing {

/// The bytes that one rank passes to MPI, from the lowest touched to the highest, and guards.
class Image {
 public:
  static constexpr std::size_t kGuard = 64;

  explicit Image(const Layout& layout, const Home& home = {});

  /// The address to pass; may lie outside the memory where no displacement is small.
  std::byte* passed() const { return pages_.passed() + lead_; }
  /// The same byte, as the test itself finds it.
  std::byte* address() const { return pages_.data() + lead_; }
  std::byte& at(std::ptrdiff_t offset) const { return address()[offset]; }

  void fill(std::byte value) const;
  const Pages& pages() const { return pages_; }

  /// Offset from the address passed of the first byte in which the two differ, or `none`.
  static constexpr std::ptrdiff_t none = PTRDIFF_MAX;
  std::ptrdiff_t first_difference(const Image& other) const;

 private:
  std::ptrdiff_t lead_;
  Pages pages_;
};

/// A block on its way.
struct Sending {
  Collective collective;
  int source;
  int destination;
  Placed block;
};

/// The bytes that a rank sends, as a function of everything that identifies them.
class Pattern {
 public:
  Pattern(std::uint64_t seed, int iteration) : seed_(hash(seed, iteration)) {}

  /// Write `bytes` bytes of a block, from `offset` on, counted from the block's origin; for
  /// alltoall, where blocks of an overlapping type share bytes, from the buffer's.
  void write(std::byte* to, std::size_t bytes, const Sending& sending,
             std::ptrdiff_t offset) const {
    const std::uint64_t key = hash(seed_, sending.source);
    std::uint64_t place = first_place(sending) + static_cast<std::uint64_t>(offset);
    while (bytes > 0) {
      const std::uint64_t word = mix(key + (place >> 3U)) >> ((place & 7U) * 8U);
      const std::size_t piece = std::min<std::size_t>(bytes, 8 - (place & 7U));
      std::memcpy(to, &word, piece);
      to += piece;
      place += piece;
      bytes -= piece;
    }
  }

 private:
  static std::uint64_t first_place(const Sending& sending) {
    const auto destination = static_cast<std::uint64_t>(sending.destination);
    if (sending.collective != Collective::alltoall) return destination << 40U;
    return destination * static_cast<std::uint64_t>(sending.block.count) *
           static_cast<std::uint64_t>(sending.block.type->extent);
  }

  std::uint64_t seed_;
};

/// Which part of a buffer a byte belongs to: "block 3, byte 17", "a gap" or "a guard".
std::string locate(const Layout& layout, std::ptrdiff_t offset);

}  // namespace rondo::testing
