// How an exchange begins and ends whose errors are returned everywhere: with what is wrong at this
// rank, and with what all ranks have reported.
//
// There are two kinds of errors.
//
// A *failure* means that a rank cannot take part. It is in the status that every rank or node sends
// with its data. All ranks receive the status of all ranks in the same exchange: inside a node from
// the cells, of which each rank waits for every one; between nodes with inter=direct from the headers,
// since every node sends to every other one; with Bruck rounds because the block from any rank or node
// to any other travels in messages that pass on the status of all their earlier senders. So after a
// failure all ranks leave out the same steps (long blocks, copies), and nobody waits for a rank that
// left one out.
//
// A *mismatch* means that a block has another length than its receiver expects. It is seen where the
// block arrives, when the exchange has no further message that could report it. So nothing may depend
// on it. No step is left out because of it, later exchanges do not use it, and it is not part of the
// status. A rank must receive all that is sent to it; what it needs for that it therefore takes from
// the senders and not from its own expectation: the lengths of short blocks or their total, and which
// long blocks come. What `auto` uses is part of the status, so it is the same on all ranks after a
// mismatch too.
#pragma once

#include "base/status.hpp"
#include "exchange/context.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

/// The status that this rank reports before it looks at its blocks; `failure` may be null.
inline Status own_status(const Context& context, const Error* failure) {
  Status status;
  if (failure != nullptr) {
    status.failed_rank = context.rank;
    status.failed_class = mpi_class_of(*failure);
  }
  return status;
}

/// Whether some rank failed: then the error that every rank returns is kept in `call`. Otherwise the
/// reported length of the longest block is. `status` must be that of all ranks.
inline bool conclude(Call& call, const Error* failure, const Status& status) {
  if (failure != nullptr)
    call.failure = *failure;
  else if (status.has_failure())
    call.failure = failure_elsewhere(status.failed_rank, status.failed_class);
  else if (call.asks_for_longest())
    call.context.longest.record(status.largest);
  return status.has_failure();
}

}  // namespace rondo::exchange
