// How an exchange begins and ends if its errors are returned on all ranks.
//
// There are two kinds of errors.
//
// A *failure* means that a rank cannot take part. It is in the status that every rank or node sends
// with its data. All ranks receive the status of all ranks in the same exchange. Inside a node the
// status is in the cells, and each rank waits for every cell. Between nodes with inter=direct it is
// in the headers, and every node sends to every other node. In Bruck rounds the block from any rank
// or node to any other travels in messages that pass on the status of all their earlier senders.
// After a failure all ranks therefore skip the same steps (long blocks, copies), and no rank waits
// for one that skipped a step.
//
// A *mismatch* means that a block has another length than its receiver expects. It is seen where
// the block arrives, when the exchange has no further message that could report it. (Ranks of a node
// that copy long blocks wait for each other once more, and then report it to each other.) So nothing
// may depend on it: no step is skipped but the copy of that block, later exchanges do not use it,
// and it is not part of the status. A rank must receive everything that is sent to it. It takes what
// it needs for that from the senders and not from its own expectation: the lengths of short blocks
// or their total, and which long blocks come. What `auto` uses is part of the status, so it is the
// same on all ranks even after a mismatch.
#pragma once

#include "base/status.hpp"
#include "engines/context.hpp"

namespace rondo::engines {

/// Returns the status that this rank reports before it looks at its blocks. `failure` may be null.
inline Status own_status(const Context& context, const Error* failure) {
  Status status;
  if (failure != nullptr) {
    status.failed_rank = context.rank;
    status.failed_class = told_of(*failure);
  }
  return status;
}

/// Returns the error of a rank that learns of another one's failure. Throws Error(other) if no rank can have reported
/// it. Then other ranks may still be in their exchange, so the communicator is given up.
inline Error failure_told_in(const Status& status, int ranks) {
  if (!status.has_possible_failure(ranks))
    throw Error(
        ErrorClass::other,
        "a message of another exchange came in this one: the ranks call different functions");
  return failure_elsewhere(status.failed_rank, status.failed_class);
}

/// Ends an exchange. `status` must be that of all ranks. If a rank failed, stores the error that
/// this rank returns in `call` and returns true. Otherwise records the longest reported block.
inline bool conclude(Call& call, const Error* failure, const Status& status) {
  if (failure != nullptr)
    call.failure = *failure;
  else if (status.has_failure())
    call.failure = failure_told_in(status, call.context.ranks);
  else if (call.needs_longest())
    call.context.longest.record(status.largest);
  return status.has_failure();
}

}  // namespace rondo::engines
