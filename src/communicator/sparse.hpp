// Runs one sparse exchange: an alltoallv in which each rank names only the ranks to which it sends.
#pragma once

#include <optional>
#include <span>

#include "communicator/state.hpp"
#include "exchange/sparse.hpp"

namespace rondo::communicator {

/// What a rank that has learned who sends to it does with that.
class SparseReceiver {
 public:
  virtual ~SparseReceiver() = default;

  /// Binds `side` to the blocks of `origins`, one after another, and returns the buffer for them. If
  /// the caller has no place for the blocks, this is memory of Rondo's own.
  virtual void* place(std::span<const exchange::Origin> origins, buffers::Side& side) = 0;

  /// Whether place() lets the program allocate the buffer.
  virtual bool is_allocated() const = 0;
};

/// One sparse exchange. The sending side of the state's binding is bound to the blocks for
/// `destinations`, unless there is a `failure`, which all ranks then return.
struct SparseTask {
  State& state;
  const choice::Choice& choice;
  const void* send_buffer;
  const int* destinations;
  SparseReceiver& receiver;
  std::optional<Error> failure;
};

/// Collective.
void execute_sparse(SparseTask task);

}  // namespace rondo::communicator
