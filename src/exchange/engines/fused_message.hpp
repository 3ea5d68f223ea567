// The first message of a fused round: a header, the sizes of the blocks, and the blocks themselves
// where they are short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/status.hpp"
#include "registry/handling.hpp"

namespace rondo::exchange::engines {

/// 24 bytes in front of every round's sizes.
struct FusedHeader {
  std::uint64_t data_bytes = 0;  ///< all blocks of the round together
  std::uint64_t largest = 0;     ///< the largest block that the sender knows of
  std::int32_t failed_rank = Status::kNoRank;
  std::uint16_t failed_class = 0;  ///< MPI's error class, if a rank failed
  std::uint16_t size_bytes = 4;    ///< 4 or 8: how wide the sizes are; 0: they do not travel

  void set_status(const Status& status) {
    largest = status.largest;
    failed_rank = status.failed_rank;
    failed_class = static_cast<std::uint16_t>(status.failed_class);
  }
  Status status() const {
    return {.largest = largest, .failed_rank = failed_rank, .failed_class = failed_class};
  }
};
static_assert(sizeof(FusedHeader) == 24);

/// How many blocks a message has and how much a receiver has room for without knowing the sizes.
/// The blocks follow the sizes if all fits, else they travel as a second message.
class FusedFrame {
 public:
  static constexpr std::size_t kShortBytes = registry::kShortMessageBytes;

  explicit FusedFrame(int blocks) : blocks_(static_cast<std::size_t>(blocks)) {}

  std::size_t room() const {
    return std::max(kShortBytes, sizeof(FusedHeader) + blocks_ * sizeof(std::uint64_t));
  }
  std::size_t sizes_bytes(const FusedHeader& header) const { return blocks_ * header.size_bytes; }
  bool is_detached(const FusedHeader& header) const {
    return sizeof header + sizes_bytes(header) + header.data_bytes > room();
  }
  /// Bytes of the first message.
  std::size_t bytes(const FusedHeader& header) const {
    return sizeof header + sizes_bytes(header) + (is_detached(header) ? 0 : header.data_bytes);
  }

 private:
  std::size_t blocks_;
};

inline FusedHeader read_header(const std::byte* message) {
  FusedHeader header;
  std::memcpy(&header, message, sizeof header);
  return header;
}

/// The size of block `index`, behind the header of `message`.
inline std::size_t read_size(const std::byte* message, const FusedHeader& header,
                             std::size_t index) {
  const std::byte* at = message + sizeof header + index * header.size_bytes;
  if (header.size_bytes == sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, at, sizeof size);
    return size;
  }
  std::uint64_t size = 0;
  std::memcpy(&size, at, sizeof size);
  return size;
}

}  // namespace rondo::exchange::engines
