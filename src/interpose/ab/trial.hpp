// RONDO_AB=1: Rondo and the MPI library take turns on a communicator, and what every call cost this
// rank is kept until the end.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "api/state.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

/// The calls of one collective on one communicator, which has a name that all of its ranks share,
/// also after it has been freed.
struct Series {
  std::int64_t root = MPI_UNDEFINED;  ///< rank 0's rank in MPI_COMM_WORLD, if it is in that
  std::int64_t communicator = 0;      ///< its number there, as in the names of recorded matrices
  api::Form form{};
  int ranks = 0;
  bool is_root = false;
  std::uint64_t seed = 0;
  std::int64_t calls = 0;      ///< that took turns
  bool is_warm = false;        ///< whether Rondo has had its first call, which took no turn
  std::vector<float> seconds;  ///< of the first calls; infinite where the call failed
};

/// Whose turn a call is, and where its duration belongs.
struct Turn {
  Arm arm = Arm::rondo;
  Series* series = nullptr;  ///< null where the call is in neither arm, or its duration is not kept
  std::size_t place = 0;
};

/// Before each call; the same on all ranks of `comm`. Free where nothing is compared.
Turn next_turn(MPI_Comm comm, api::Form form) noexcept;

/// How a call went on this rank.
struct Outcome {
  Turn turn;
  bool has_succeeded;
  double seconds;
};

/// After each call on a communicator whose state has the setting `ab`. Collective after the call in
/// which Rondo has set itself up there.
void note_call(const api::State& state, MPI_Comm comm, api::Form form, const Outcome& outcome);

/// Whether this rank has compared anything or its environment asks for it.
bool is_comparing();

/// For the end of the program, when no thread makes a call.
const std::vector<Series*>& all_series();

/// What this rank has spent in exchanges, in either arm or neither.
double exchange_seconds();

}  // namespace rondo::interpose::ab
