// RONDO_AB=1: Rondo and the MPI library take turns on a communicator, and how long every block of
// calls took this rank is kept until the end.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "communicator/state.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

/// How long a block took this rank, in seconds.
struct OwnBlock {
  std::int64_t end;  ///< how many calls this rank had made by then, in all series
  float elapsed;     ///< since the end of the series' previous block
  float inside;      ///< the calls, waiting included
};

/// The calls of one collective on one communicator, which has a name that all of its ranks share,
/// also after it has been freed.
struct Series {
  std::int64_t root = MPI_UNDEFINED;  ///< rank 0's rank in MPI_COMM_WORLD, if it is in that
  std::int64_t communicator = 0;      ///< its number there, as in the names of recorded matrices
  buffers::Form form{};
  int ranks = 0;
  std::uint64_t seed = 0;
  std::uint64_t order = 0;    ///< of the turns
  double set_up_seconds = 0;  ///< what the call took that set Rondo up, for the last to arrive
  std::int64_t calls = 0;     ///< that took turns
  bool is_warm = false;       ///< whether Rondo has had its first call, which took no turn
  std::int64_t begin = 0;     ///< of the first block, as OwnBlock::end
  double block_begin = 0;     ///< seconds on this rank's clock
  double inside_block = 0;    ///< of the block in progress
  bool is_full = false;       ///< a block was not kept, so no later one is
  std::vector<OwnBlock> blocks;
};

/// Blocks that a rank keeps, over all communicators. Calls go on to take turns beyond that.
inline constexpr std::int64_t kMostKept = std::int64_t{1} << 20;

/// Whose turn a call is.
struct Turn {
  Arm arm = Arm::rondo;
  Series* series = nullptr;  ///< null where the call belongs to no series
  bool is_counted = false;   ///< false for the series' first call, which warms up
};

/// Before each call; the same on all ranks of `comm`. Free where nothing is compared.
Turn next_turn(MPI_Comm comm, buffers::Form form) noexcept;

/// How a call went on this rank.
struct Outcome {
  Turn turn;
  bool has_succeeded;
  double seconds;
  double end;  ///< on this rank's clock
};

/// After each call on a communicator whose state has the setting `ab`. Collective after the call in
/// which Rondo has set itself up there.
void note_call(const communicator::State& state, MPI_Comm comm, buffers::Form form,
               const Outcome& outcome);

/// Whether this rank has compared anything or its environment asks for it.
bool is_comparing();

/// For the end of the program, when no thread makes a call.
const std::vector<Series*>& all_series();

/// What this rank has spent in exchanges, in either arm or neither.
double exchange_seconds();

}  // namespace rondo::interpose::ab
