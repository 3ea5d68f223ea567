// The arguments of the kernel of `direct`, and the memory that ranks lend each other for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/blocks.hpp"

namespace rondo::gpu {

/// The arguments of a kernel have no room for more.
inline constexpr int kMostDirectRanks = 96;

/// The longest block that travels in lines.
inline constexpr std::size_t kLineBlockBytes = 1024;

/// 8 bytes of a block, with a flag in each of the two words. A word of 64 bits arrives whole, so a
/// thread that sees the flag in it sees the data too.
struct alignas(16) Line {
  std::uint64_t low;   ///< bytes 0..3, then the flag
  std::uint64_t high;  ///< bytes 4..7, then the flag
};

inline constexpr std::size_t kLineDataBytes = 8;
/// One line for the length of a block, then the lines of its bytes.
inline constexpr std::size_t kLines = 1 + kLineBlockBytes / kLineDataBytes;

/// The layout of the memory that a rank lends to the others, who write into it. Everything exists
/// twice, for exchanges with even and odd numbers. What belongs to exchange e is written again in e
/// + 2. A rank begins e + 2 only after all other ranks have arrived in e + 1, and they had finished
/// reading e by then.
struct Region {
  int ranks;
  int blocks;  ///< thread blocks, each of which writes and reads its slice of a long block
  std::size_t slot_bytes;  ///< for the longest block, a multiple of 16; 0 if it travels in lines

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

/// Counts and displacements from arrays on the host. They are arguments of the kernel, so that a
/// captured call keeps them.
struct LengthTable {
  std::size_t send_counts[kMostDirectRanks];
  std::size_t send_displacements[kMostDirectRanks];
  std::size_t receive_counts[kMostDirectRanks];
  std::size_t receive_displacements[kMostDirectRanks];

  /// Returns `blocks` with the counts and displacements of this table.
  RONDO_DEVICE Blocks applied_to(Blocks blocks) const {
    blocks.send_counts = send_counts;
    blocks.send_displacements = send_displacements;
    blocks.receive_counts = receive_counts;
    blocks.receive_displacements = receive_displacements;
    return blocks;
  }
};

/// A plan's state, which is on the device so that replays of a graph count like calls.
struct DirectState {
  std::uint64_t number;    ///< of completed exchanges
  std::uint32_t finished;  ///< thread blocks of the current exchange that have finished
  std::uint32_t failed;    ///< not 0 after an error
  std::uint32_t
      stopped;  ///< not 0 after an exchange with an error, so that all its thread blocks take part in it
};

/// In the place of a length: the sender's own error keeps it from sending anything.
inline constexpr std::uint64_t kRefused = ~std::uint64_t{0};

/// An error that the device has found, in host memory.
struct DeviceError {
  enum Kind : std::uint32_t {
    none,
    timeout,
    mismatch,
    too_long,  ///< the block for the other rank
    too_long_from,
    too_many,
    no_room,
    refused  ///< by the other rank
  };

  std::uint32_t kind;
  std::int32_t rank;   ///< the other rank
  std::uint64_t sent;  ///< bytes that it sends; too_long: bytes of the block for it; too_many and
                       ///< no_room: rows of the blocks up to this rank's
  std::uint64_t expected;  ///< bytes that this rank expects; too_long and too_long_from: bytes that
                           ///< the plan allows; too_many and no_room: rows of the buffer
};

/// What the threads of a thread block share, with a number for each rank.
struct SharedNumbers {
  bool answer;  ///< by which all threads of the thread block go on alike
  bool has_arrived[kMostDirectRanks];
  std::size_t send_displacements[kMostDirectRanks];  ///< of dynamic exchanges, like the others
  std::size_t receive_counts[kMostDirectRanks];
  std::size_t receive_displacements[kMostDirectRanks];
};

struct DirectCall {
  int rank;
  Region region;
  std::size_t longest;
  std::uint64_t timeout_nanoseconds;
  DirectState* state;
  DeviceError* error;
  std::byte* peers[kMostDirectRanks];  ///< where every rank's region is mapped here
  Blocks blocks;
};

}  // namespace rondo::gpu
