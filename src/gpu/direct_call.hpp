// What the kernel of `direct` is told, and the memory that ranks lend each other for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/blocks.hpp"

namespace rondo::gpu {

/// More do not fit into the arguments of a kernel.
inline constexpr int kMostDirectRanks = 96;

/// The longest block that travels in lines, each of which brings its own flag.
inline constexpr std::size_t kLineBlockBytes = 1024;

/// 8 bytes of a block, and twice the flag: a word of 64 bits arrives whole, so that whoever sees
/// the flag in it sees its data too.
struct alignas(16) Line {
  std::uint64_t low;   ///< bytes 0..3, then the flag
  std::uint64_t high;  ///< bytes 4..7, then the flag
};

inline constexpr std::size_t kLineDataBytes = 8;
/// The length of the block, then its bytes.
inline constexpr std::size_t kLines = 1 + kLineBlockBytes / kLineDataBytes;

/// How the memory is laid out that a rank lends to the others, who write into it. Everything is
/// there twice, for exchanges with even and odd numbers: what belongs to number e is written again
/// in e + 2, which a rank begins only after it has heard from all others in e + 1, when they had
/// finished reading e.
struct Region {
  int ranks;
  int blocks;  ///< thread blocks, each of which writes and reads its slice of a long block
  std::size_t
      slot_bytes;  ///< room for the longest block, 0 if it travels in lines; a multiple of 16

  static constexpr Region of(int ranks, int blocks, std::size_t longest) {
    return {ranks, blocks, longest <= kLineBlockBytes ? 0 : (longest + 15) / 16 * 16};
  }

  RONDO_DEVICE std::size_t lines(std::uint64_t number, int source) const {
    return pair(number, source) * kLines * sizeof(Line);
  }
  RONDO_DEVICE std::size_t slot(std::uint64_t number, int source) const {
    return pairs() * kLines * sizeof(Line) + pair(number, source) * slot_bytes;
  }
  RONDO_DEVICE std::size_t flag(std::uint64_t number, int source, int block) const {
    return pairs() * (kLines * sizeof(Line) + slot_bytes) +
           (pair(number, source) * static_cast<std::size_t>(blocks) +
            static_cast<std::size_t>(block)) *
               sizeof(std::uint64_t);
  }
  std::size_t bytes() const { return flag(1, ranks, 0); }

 private:
  RONDO_DEVICE std::size_t pairs() const { return 2 * static_cast<std::size_t>(ranks); }
  RONDO_DEVICE std::size_t pair(std::uint64_t number, int source) const {
    return number % 2 * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(source);
  }
};

/// Counts and displacements that were given on the host: they travel with the kernel, so that a
/// captured call keeps them.
struct LengthTable {
  std::size_t send_counts[kMostDirectRanks];
  std::size_t send_displacements[kMostDirectRanks];
  std::size_t receive_counts[kMostDirectRanks];
  std::size_t receive_displacements[kMostDirectRanks];

  /// `blocks` with the lengths that stand here.
  RONDO_DEVICE Blocks applied_to(Blocks blocks) const {
    blocks.send_counts = send_counts;
    blocks.send_displacements = send_displacements;
    blocks.receive_counts = receive_counts;
    blocks.receive_displacements = receive_displacements;
    return blocks;
  }
};

/// What a plan keeps on the device from call to call; so replays of a graph count as calls do.
struct DirectState {
  std::uint64_t number;    ///< of exchanges done
  std::uint32_t finished;  ///< thread blocks of the present one
  std::uint32_t failed;    ///< not 0 after trouble
};

/// What the device noticed, in memory of the host.
struct Trouble {
  enum Kind : std::uint32_t { none, late, different, too_long };

  std::uint32_t kind;
  std::int32_t rank;       ///< the other one
  std::uint64_t sent;      ///< bytes that it announced, or that this rank wants to send
  std::uint64_t expected;  ///< bytes that this rank expects, or that the plan allows
};

struct DirectCall {
  int rank;
  Region region;
  std::size_t longest;
  std::uint64_t timeout_nanoseconds;
  DirectState* state;
  Trouble* trouble;
  std::byte* peers[kMostDirectRanks];  ///< every rank's region, as it is mapped here
  Blocks blocks;
};

}  // namespace rondo::gpu
