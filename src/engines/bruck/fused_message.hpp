// The first message of a fused round: a header, the sizes of the blocks, and the blocks themselves
// if they are short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/status.hpp"
#include "registry/handling.hpp"

namespace rondo::engines {

/// The 24 bytes before the sizes of a round.
struct FusedHeader {
  std::uint64_t data_bytes = 0;  ///< of all blocks of the round together
  std::uint64_t largest = 0;     ///< the largest block that the sender knows of
  std::int32_t failed_rank = Status::kNoRank;
  std::uint16_t failed_class = 0;  ///< what that rank tells of its error
  std::uint16_t size_bytes = 4;    ///< the width of a size, 4 or 8; 0 if no sizes are sent

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

/// The layout of the first message of a round. A receiver has capacity() for it without knowing the
/// sizes. If everything fits, the blocks follow the sizes; otherwise they are detached and form a
/// second message.
class FusedFrame {
 public:
  static constexpr std::size_t kShortBytes = registry::kShortMessageBytes;

  explicit FusedFrame(int blocks) : blocks_(static_cast<std::size_t>(blocks)) {}

  std::size_t capacity() const {
    return std::max(kShortBytes, sizeof(FusedHeader) + blocks_ * sizeof(std::uint64_t));
  }
  std::size_t sizes_bytes(const FusedHeader& header) const { return blocks_ * header.size_bytes; }
  bool is_detached(const FusedHeader& header) const {
    return sizeof header + sizes_bytes(header) + header.data_bytes > capacity();
  }
  /// Returns the length of the first message.
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

/// Returns the size of block `index` from the sizes that follow the header of `message`.
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

}  // namespace rondo::engines
