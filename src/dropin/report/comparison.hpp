// RONDO_AB=1: Rondo and the MPI library take turns on a communicator. How long each turn took this
// rank is kept until the end, and then judged by another program.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "communicator/state.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

/// On this process's clock.
inline double now_in_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// How long a turn took this rank, in seconds.
struct OwnTurn {
  std::int64_t end;  ///< how many calls this rank had made by then, in all series
  float elapsed;     ///< since the end of the series' previous turn
  float inside;      ///< the calls, waiting included
};

/// The calls of one collective on one communicator. The first three fields are its name, which all
/// of its ranks share, also after the communicator has been freed.
struct Series {
  std::int64_t root = MPI_UNDEFINED;  ///< rank 0's rank in MPI_COMM_WORLD, if it is in that
  std::int64_t communicator = 0;      ///< its number there, as in the names of recorded matrices
  buffers::Form form{};
  int ranks = 0;
  std::uint64_t seed = 0;
  std::uint64_t order = 0;    ///< of the turns
  double set_up_seconds = 0;  ///< of the call that set Rondo up, on the rank that arrived last
  std::int64_t calls = 0;     ///< that took turns
  bool is_warm = false;       ///< whether Rondo has had its first call, which takes no turn
  std::int64_t begin = 0;     ///< of the first turn, as OwnTurn::end
  double turn_begin = 0;      ///< of the turn in progress, on this rank's clock
  double inside_turn = 0;     ///< its calls, in seconds
  bool is_full = false;       ///< whether a turn was not kept: then no later one is
  std::vector<OwnTurn> turns;
};

/// Turns that a rank keeps, over all communicators. Later calls still take turns.
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

/// What this rank has spent in exchanges, whether or not they took turns.
double exchange_seconds();

/// Collective over MPI_COMM_WORLD, whose rank 0 prints on stderr what the comparison has found.
void report_comparison(int rank, int ranks);

/// What rondo-judge says of a record. Throws Error where it cannot be asked.
std::string judgement_of(const std::vector<std::byte>& record);

}  // namespace rondo::dropin::ab
