// Proof that a schedule is right, without MPI and without running it.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/schedule.hpp"

namespace rondo::schedule {

/// What check() found. The counts cover what was walked before a violation, all of it when ok().
struct Report {
  std::string violation;    ///< the first thing that is wrong, with its numbers; empty when ok()
  std::int64_t rounds = 0;  ///< K
  std::int64_t blocks = 0;  ///< D: blocks that a rank sends over all rounds
  std::int64_t in_transit =
      0;  ///< blocks of others that a rank holds at the end of a phase, at most

  bool ok() const { return violation.empty(); }
};

/// Prove that `schedule` is an all-to-all exchange: every block 1..P-1 reaches its rank, does not
/// move after it arrived and moves at most once in a phase; every round has blocks, all of them
/// in 1..P-1, and no rank sends to itself; BlockSet and Round answer what was counted. Costs O(K +
/// D).
///
/// Takes for granted that the schedule's group is one; check_group() proves that.
Report check(const Schedule& schedule);

/// Prove the group laws on which check() and every executor build. Returns the first violation, or
/// nothing. Costs O(P^2 log P).
std::string check_group(const Group& group);

}  // namespace rondo::schedule
