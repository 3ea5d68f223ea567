// What the ranks of an exchange report to each other besides data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo {

struct Status {
  static constexpr std::int32_t kNobody = std::numeric_limits<std::int32_t>::max();

  std::uint64_t largest = 0;           ///< bytes of the largest block that anybody sends
  std::int32_t failed_rank = kNobody;  ///< the lowest rank that cannot take part
  std::int32_t failed_class = 0;       ///< MPI's error class there

  bool has_failure() const { return failed_rank != kNobody; }

  /// These status and those of another rank.
  void merge(const Status& other) {
    largest = std::max(largest, other.largest);
    if (other.failed_rank >= failed_rank) return;
    failed_rank = other.failed_rank;
    failed_class = other.failed_class;
  }
};

}  // namespace rondo
