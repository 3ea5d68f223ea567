// The messages of a sparse exchange that go straight to their ranks.
//
// The first message to a rank has the length of its block and, if the block is short, the block.
// Messages are received in the order in which they come, into memory of Rondo's own, since the place
// of a block is only known when all have come. Long blocks follow when they have a place.
#pragma once

#include "engines/discovery/sparse.hpp"
#include "engines/outcome.hpp"

namespace rondo::engines::discovery {

/// Stores the error that this rank returns if some rank has failed. `status` must be that of all
/// ranks. Returns whether one has. Throws Error(other) if no rank can have reported that failure.
bool note_failure(SparseCall& call, const Status& status);

class Straight {
 public:
  /// Blocks of at most `limit` bytes are short.
  Straight(SparseCall& call, std::size_t limit);

  /// Whether a send is complete only when its message is received.
  enum class Mode { standard, synchronous };

  /// Sends the first messages.
  void send(Mode mode);

  /// Whether the sends are complete.
  bool has_sent();

  /// Receives a first message, if one is there. Returns whether there was one.
  bool receive_if_any();

  /// Receives `count` first messages.
  void receive(std::int64_t count);

  /// Has the blocks placed, copies those that have arrived and exchanges the long ones. All first
  /// messages must have been received.
  void finish();

 private:
  void take(const MPI_Status& status);
  bool is_long(std::uint64_t bytes) const { return bytes > limit_; }

  SparseCall& call_;
  Context& context_;
  SparseWorkspace& workspace_;
  std::size_t limit_;
};

/// Has the blocks of `sources` placed, and exchanges those longer than `limit`, in messages with
/// `tag`. Copies this rank's block to itself. Returns the places.
BlockList<Block> exchange_placed(SparseCall& call, std::size_t limit, int tag);

}  // namespace rondo::engines::discovery
