// What the ranks of an exchange report to each other in addition to data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/error.hpp"

namespace rondo {

struct Status {
  static constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();

  std::uint64_t largest = 0;           ///< bytes of the largest block that any rank sends
  std::int32_t failed_rank = kNoRank;  ///< the lowest rank that cannot take part
  std::int32_t failed_class = 0;       ///< what that rank tells of its error: told_of()

  bool has_failure() const { return failed_rank != kNoRank; }

  /// Whether one of `ranks` ranks can have reported this failure. If ranks call different functions, the data of another
  /// exchange may arrive in place of a status.
  bool has_possible_failure(int ranks) const {
    return failed_rank >= 0 && failed_rank < ranks && failed_class > 0;
  }

  /// Adds the status of another rank to this one.
  void merge(const Status& other) {
    largest = std::max(largest, other.largest);
    if (other.failed_rank >= failed_rank) return;
    failed_rank = other.failed_rank;
    failed_class = other.failed_class;
  }
};

/// Numbers from here on are told of Rondo's own errors. They fit in 16 bits.
inline constexpr int kOwnErrors = 0x4000;

/// Returns what the other ranks are told of an error: MPI's class if a call of MPI failed, else the kind of the error.
inline int told_of(const Error& error) {
  return error.mpi_class() != 0 ? error.mpi_class()
                                : kOwnErrors + static_cast<int>(error.error_class());
}

/// Returns the error of a rank that is told of an error of `rank`.
inline Error failure_elsewhere(int rank, int told) {
  const int kind = told - kOwnErrors;
  const bool is_own = kind >= 0 && kind <= static_cast<int>(ErrorClass::other);
  return error_together([&] {
    return Error(is_own ? static_cast<ErrorClass>(kind) : ErrorClass::other,
                 text("rank ", rank, " could not take part in the exchange; see the error there"),
                 is_own ? 0 : told);
  });
}

}  // namespace rondo
