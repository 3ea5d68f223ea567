// What the ranks of an exchange report to each other in addition to data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo {

struct Status {
  static constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();

  std::uint64_t largest = 0;           ///< bytes of the largest block that any rank sends
  std::int32_t failed_rank = kNoRank;  ///< the lowest rank that cannot take part
  std::int32_t failed_class = 0;       ///< MPI's error class on that rank

  bool has_failure() const { return failed_rank != kNoRank; }

  /// Adds the status of another rank to this one.
  void merge(const Status& other) {
    largest = std::max(largest, other.largest);
    if (other.failed_rank >= failed_rank) return;
    failed_rank = other.failed_rank;
    failed_class = other.failed_class;
  }
};

}  // namespace rondo
