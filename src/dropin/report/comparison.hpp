// RONDO_AB=1: Rondo and the MPI library take turns on a communicator. Each rank stores how long its
// turns took. At the end rondo-judge evaluates the times.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "communicator/state.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

/// How long a turn took on this rank, in seconds.
struct OwnTurn {
  std::int64_t end;  ///< how many calls this rank had made by the end of the turn, in all series
  float elapsed;     ///< since the end of the series' previous turn
  float inside;      ///< the time in the calls, waiting included
};

/// The calls of one collective on one communicator. All of its ranks share the first three fields,
/// which identify the series even after the communicator has been freed.
struct Series {
  std::int64_t root = MPI_UNDEFINED;  ///< rank 0's rank in MPI_COMM_WORLD, if it has one
  std::int64_t communicator = 0;  ///< its number on that rank, as in the names of recorded matrices
  buffers::Form form{};
  int ranks = 0;
  std::uint64_t seed = 0;
  std::uint64_t order = 0;    ///< of the turns
  double set_up_seconds = 0;  ///< of the call that set Rondo up, on the last rank to arrive
  std::int64_t calls = 0;     ///< that took turns
  bool is_warm = false;       ///< whether Rondo has had its first call, which takes no turn
  std::int64_t begin = 0;     ///< of the first turn, as OwnTurn::end
  double turn_begin = 0;      ///< of the turn in progress, on this rank's clock
  double inside_turn = 0;     ///< its calls, in seconds
  bool is_full = false;       ///< whether a turn could not be stored; no later turn is stored then
  std::vector<OwnTurn> turns;
};

/// The most turns that a rank stores, over all communicators. Later calls still take turns.
inline constexpr std::int64_t kMostTurns = std::int64_t{1} << 20;

/// Whose turn a call is.
struct Turn {
  Arm arm = Arm::rondo;
  Series* series = nullptr;  ///< null where the call belongs to no series
  bool is_counted = false;   ///< false for the series' first call, which is a warm-up
};

/// Called before each exchange. Returns the same on all ranks of `comm`. Costs nothing if nothing
/// is compared.
Turn next_turn(MPI_Comm comm, buffers::Form form) noexcept;

/// The result of a call on this rank.
struct Outcome {
  Turn turn;
  bool has_succeeded;
  double seconds;
  double end;  ///< on this rank's clock
};

/// Called after each exchange on a communicator whose state has the setting `ab`. Collective after
/// the call in which Rondo has set itself up there.
void note_call(const communicator::State& state, MPI_Comm comm, buffers::Form form,
               const Outcome& outcome);

/// Whether this rank has compared anything or its environment requests a comparison.
bool is_comparing();

/// For the end of the program, when no thread makes a call.
const std::vector<Series*>& all_series();

/// The time that this rank has spent in exchanges, whether or not they took turns.
double exchange_seconds();

/// Collective over MPI_COMM_WORLD. Rank 0 prints the result of the comparison on stderr.
void report_comparison(int rank, int ranks);

/// Returns rondo-judge's report on a record. Throws Error if rondo-judge cannot be run.
std::string judgement_of(const std::vector<std::byte>& record);

}  // namespace rondo::dropin::ab
