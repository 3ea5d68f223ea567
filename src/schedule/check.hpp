// Proves that a schedule is right, without MPI and without running it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "schedule/schedule.hpp"

namespace rondo::schedule {

/// How the checkers report a violation: they stop at the first one and give its numbers.
struct Violation : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws Violation(parts) unless `holds`.
template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw Violation(text(parts...));
}

/// What check() has found. The counts cover everything if ok(), else what precedes the violation.
struct Report {
  std::string violation;        ///< the first error, with its numbers; empty if ok()
  std::int64_t rounds = 0;      ///< K
  std::int64_t blocks = 0;      ///< D: blocks that a rank sends in all rounds
  std::int64_t in_transit = 0;  ///< most blocks of others that a rank holds at the end of a phase

  bool ok() const { return violation.empty(); }
};

/// Proves that `schedule` is an all-to-all exchange: every block 1..P-1 reaches its rank, does not
/// move after its arrival, and moves at most once in a phase; every round has blocks, all of them
/// in 1..P-1; no rank sends to itself; and the answers of BlockSet and Round are right. Costs O(K +
/// D).
///
/// Assumes that the schedule's group obeys the group laws, which check_group() proves.
Report check(const Schedule& schedule);

/// Proves the group laws on which check() and every executor rely. Returns the first violation, or
/// an empty text. Costs O(P^2 log P).
std::string check_group(const Group& group);

}  // namespace rondo::schedule
